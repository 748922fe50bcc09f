import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { startServer } from './server.ts'
import { tusOf } from './tus.ts'

/** A server below a base URL, and users with different permissions to upload. */
export async function startUploadServer() {
  const server = await startServer({ baseURL: '/files' })
  await server.addUser('ann', { rules: [{ regex: false, allow: false, path: '/private', regexp: { raw: '' } }] })
  await server.addUser('bob')
  await server.addUser('may-only-create', { lacks: ['modify', 'delete', 'rename', 'share', 'download'] })
  await server.addUser('may-not-create', { lacks: ['create'] })
  const ask = await server.as('ann')
  const { db, held } = server.app.deps
  return {
    server,
    ask,
    annsToken: await server.signIn('ann'),
    ann: tusOf(ask),
    bob: tusOf(await server.as('bob')),
    /** The number of stored uploads. */
    rows: async () => (await db.selectFrom('upload').selectAll().execute()).length,
    /** Removes all files and uploads. */
    async clear() {
      // A small one that was announced a moment ago is in memory only. A later test would find the draft that it gets.
      await held.write('all')
      for (const name of readdirSync(server.root)) rmSync(join(server.root, name), { recursive: true })
      await db.deleteFrom('upload').execute()
    },
  }
}
