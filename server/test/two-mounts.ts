import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Grant, Right } from '@filestead/contract'
import { touchAccess } from '../src/database/counters.ts'
import { durableTransaction } from '../src/database/port.ts'
import { insertMount } from '../src/mounts/store.ts'
import { jsonIn } from './answers.ts'
import { type Ask, startServer, type TestServer } from './server.ts'

/** A server with the mounts Files and Photos, and an administrator who grants rights in them. */
export interface TwoMounts extends AsyncDisposable {
  readonly server: TestServer
  readonly admin: Ask
  /** Of Photos: its number, and its folder on the disk. */
  readonly photos: number
  readonly folder: string
  /** Creates files in Photos; a path with a slash at its end creates a folder. */
  put(files: Record<string, string>): void
  link(target: string, path: string): void
  grant(subject: string, location: string, rights: readonly Right[]): Promise<Grant>
  revoke(grant: Grant): Promise<void>
}

/** `prepare` gets the folder of Photos before it is served. */
export async function startTwoMounts(
  options: Parameters<typeof startServer>[0] = {},
  prepare?: (folder: string) => void,
): Promise<TwoMounts> {
  const server = await startServer(options)
  await server.addUser('admin', { isAdmin: true })
  const admin = await server.as('admin')
  mkdirSync(join(server.root, '../photos'))
  const folder = realpathSync(join(server.root, '../photos'))
  prepare?.(folder)
  const { deps } = server.app
  const photos = await durableTransaction(deps.db, 'serializable', async (trx) => {
    await touchAccess(trx)
    return insertMount(trx, { name: 'Photos', folder, links: 'inside', readOnly: false, source: 'stored' })
  })
  await deps.mounts.all()
  return {
    server,
    admin,
    photos,
    folder,
    put(files) {
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        if (path.endsWith('/')) mkdirSync(join(folder, path), { recursive: true })
        else writeFileSync(join(folder, path), content)
      }
    },
    link: (target, path) => symlinkSync(target, join(folder, path)),
    grant(subject, location, rights) {
      const [, mount = '1', path] = /^(?:(\d+):)?(\/.*)$/.exec(location) ?? []
      const body = JSON.stringify({ subject, mount: Number(mount), folder: path, rights })
      return jsonIn<Grant>(admin('/api/grants', { method: 'POST', body }))
    },
    async revoke({ id }) {
      const response = await admin(`/api/grants/${id}`, { method: 'DELETE' })
      if (response.status !== 204) throw new Error(`Revoking answered ${response.status}`)
    },
    [Symbol.asyncDispose]: () => server.stop(),
  }
}
