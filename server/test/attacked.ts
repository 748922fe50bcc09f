import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Grant, Right } from '@filestead/contract'
import { jsonIn, statusOf } from './answers.ts'
import { snapshot } from './disk.ts'
import type { Ask } from './server.ts'
import { startTwoMounts, type TwoMounts } from './two-mounts.ts'

export const everything: Right[] = ['see', 'download', 'create', 'change', 'delete', 'share']

/** Two mounts with secrets, and eve, an ordinary user with a home, a folder to read and a letter box. */
export interface Attacked extends TwoMounts {
  readonly token: string
  readonly eve: Ask
  /** Locations of Photos: eve may read the first but for `hidden` in it, and put files into the second. */
  readonly family: string
  readonly drop: string
  /** Puts files, symlinks and grants back as they were. */
  reset(): Promise<void>
  onDisk(): Record<string, string>[]
}

export async function startAttacked(): Promise<Attacked> {
  const world = await startTwoMounts()
  const { server, admin, photos, folder } = world
  await server.addUser('eve', { scope: '/users/eve' })
  await server.addUser('bob', { scope: '/users/bob' })
  const token = await server.signIn('eve')
  const [family, drop] = [`${photos}:/family`, `${photos}:/drop`]
  return {
    ...world,
    token,
    eve: (path, init) => server.ask(path, { ...init, headers: { 'x-auth': token, ...init?.headers } }),
    family,
    drop,
    onDisk: () => [snapshot(server.root), snapshot(folder)],
    async reset() {
      for (const place of [server.root, folder])
        for (const name of readdirSync(place)) rmSync(join(place, name), { recursive: true })
      server.put({
        'users/eve/own.txt': 'own',
        'users/eve/box/in.txt': 'in',
        'users/bob/secret.txt': 'CANARY',
        'secret.txt': 'CANARY',
        'public/open.txt': 'open',
        'public/hidden/secret.txt': 'CANARY',
      })
      world.put({
        'family/one.txt': 'one',
        'family/hidden/secret.txt': 'CANARY',
        'secret/secret.txt': 'CANARY',
        'secret.txt': 'CANARY',
        'drop/taken.txt': 'CANARY',
      })
      world.link('../secret', 'family/inside')
      world.link(join(server.root, 'users/bob'), 'family/across')
      server.link(join(folder, 'secret'), 'users/eve/across')
      server.link('../bob', 'users/eve/sideways')
      for (const grant of await jsonIn<Grant[]>(admin('/api/grants'))) await world.revoke(grant)
      await world.grant('user:2', family, ['see', 'download'])
      await world.grant('user:2', `${family}/hidden`, [])
      await world.grant('user:2', drop, ['create'])
      await world.grant('guest', '/public', ['download', 'create'])
      await world.grant('guest', '/public/hidden', [])
    },
  }
}

export const move = (ask: Ask, action: string, from: string, to: string, more = ''): Promise<number> =>
  statusOf(
    ask(`/api/resources${from}?action=${action}&destination=${encodeURIComponent(to)}${more}`, { method: 'PATCH' }),
  )
