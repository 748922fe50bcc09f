import { type ChecksumAlgorithm, encodePath, operationHeader, type Resource } from '@filestead/contract'
import { call, getJson, throwConnectionLost, versionIn } from '../client.ts'

/** The bytes of a file, and the version they are. */
export async function readBytes(
  path: string,
  signal?: AbortSignal,
): Promise<{ bytes: Uint8Array; version: string | null }> {
  const response = await call('GET', `raw${encodePath(path)}?inline=true`, signal && { signal })
  return {
    bytes: new Uint8Array(await response.arrayBuffer().catch(throwConnectionLost)),
    version: versionIn(response),
  }
}

/** Replaces a file, if it still is that version (`null`: whatever it is). Answers the new version. */
export async function saveBytes(
  path: string,
  bytes: Blob,
  version: string | null,
  batch: string,
): Promise<string | null> {
  const headers = { ...(version !== null && { 'If-Match': version }), [operationHeader]: batch }
  return versionIn(await call('PUT', `resources${encodePath(path)}`, { body: bytes, headers }))
}

/** Makes a file. Refused when the name is taken. Answers its version. */
export const createBytes = async (path: string, bytes: Blob, batch: string): Promise<string | null> =>
  versionIn(
    await call('POST', `resources${encodePath(path)}?override=false`, {
      body: bytes,
      headers: { [operationHeader]: batch },
    }),
  )

export const readChecksum = async (
  path: string,
  algorithm: ChecksumAlgorithm,
  signal?: AbortSignal,
): Promise<string> => {
  const file = await getJson<Resource>(`resources${encodePath(path)}?checksum=${algorithm}`, signal && { signal })
  return file.checksums?.[algorithm] ?? ''
}
