import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { extract, pack } from 'tar-stream'
import { damaged, type Manifest, manifestName, type Packed, parseManifest } from './manifest.ts'

export async function described(name: string, file: string): Promise<Packed> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(file)) hash.update(piece)
  return { name, size: statSync(file).size, sha256: hash.digest('hex') }
}

/** Writes a compressed tar: the manifest, then the files it describes. */
export async function writeArchive(
  target: string,
  manifest: Manifest,
  placeOf: (name: string) => string,
): Promise<void> {
  const tar = pack()
  const written = pipeline(tar, createGzip(), createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true }))
  tar.entry({ name: manifestName, mode: 0o600 }, `${JSON.stringify(manifest, null, 2)}\n`)
  for (const { name, size } of manifest.files) {
    await pipeline(createReadStream(placeOf(name)), tar.entry({ name, size, mode: 0o600 }))
  }
  tar.finalize()
  await written
}

/**
 * Extracts the files of the manifest to the paths of `placeOf`, and verifies sizes and checksums. `accept` is given the
 * manifest first, and throws to refuse.
 */
export async function readArchive(
  source: string,
  accept: (manifest: Manifest) => void,
  placeOf: (name: string) => string,
): Promise<Manifest> {
  const tar = extract()
  const reading = pipeline(createReadStream(source), createGunzip(), tar)
  // The reader of the entries gets the error; without a listener it would end the process.
  reading.catch(() => {})
  let manifest: Manifest | undefined
  const missing = new Map<string, Packed>()
  for await (const entry of refusingDamage(tar)) {
    const { name, type } = entry.header
    // A link would be extracted as an empty file.
    if (type !== 'file') throw damaged()
    if (manifest === undefined) {
      if (name !== manifestName) throw damaged()
      manifest = parseManifest(await textIn(entry))
      accept(manifest)
      for (const file of manifest.files) missing.set(file.name, file)
      continue
    }
    const wanted = missing.get(name)
    if (wanted === undefined) throw damaged()
    await unpack(entry, wanted, placeOf(name))
    missing.delete(name)
  }
  if (manifest === undefined || missing.size > 0) throw damaged()
  // Read to the end, where the checksum of the compression is.
  await reading.catch(() => Promise.reject(damaged()))
  return manifest
}

type Entry = AsyncIterable<Uint8Array> & { header: { name: string; type?: string | null } }

async function* refusingDamage(tar: AsyncIterable<unknown>): AsyncGenerator<Entry> {
  const entries = tar[Symbol.asyncIterator]() as AsyncIterator<Entry>
  try {
    for (;;) {
      const { done, value } = await entries.next().catch(() => Promise.reject(damaged()))
      if (done) return
      yield value
    }
  } finally {
    await entries.return?.().catch(() => {})
  }
}

async function unpack(entry: Entry, { size, sha256 }: Packed, place: string): Promise<void> {
  const hash = createHash('sha256')
  let length = 0
  async function* checked() {
    for await (const piece of entry) {
      hash.update(piece)
      length += piece.length
      yield piece
    }
  }
  await pipeline(checked, createWriteStream(place, { flags: 'wx', mode: 0o600, flush: true })).catch((error) => {
    throw 'syscall' in error ? error : damaged()
  })
  if (length !== size || hash.digest('hex') !== sha256) throw damaged()
}

const longestManifest = 1_000_000

async function textIn(entry: Entry): Promise<string> {
  const pieces: Uint8Array[] = []
  let length = 0
  try {
    for await (const piece of entry) {
      length += piece.length
      if (length > longestManifest) break
      pieces.push(piece)
    }
  } catch {
    throw damaged()
  }
  if (length > longestManifest) throw damaged()
  return Buffer.concat(pieces).toString()
}
