import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Job, Operation, Timeline, Trash } from '@filestead/contract'
import type { Ask } from './server.ts'

/** Numbers below a limit, the same ones for the same seed. */
export type Random = (limit: number) => number

export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

const isStore = (name: string): boolean => name.startsWith('.Trash') || name.startsWith('.filestead-versions')

/** Names, contents and targets of symlinks of all that lies in these folders, by their names in the tree of an account. */
export function treeIn(roots: Readonly<Record<string, string>>): Record<string, string> {
  const found: Record<string, string> = {}
  const visit = (place: string, shown: string) => {
    for (const name of readdirSync(place).filter((each) => !isStore(each))) {
      const [inside, path] = [join(place, name), `${shown}/${name}`]
      const facts = lstatSync(inside)
      if (facts.isDirectory()) {
        found[`${path}/`] = 'folder'
        visit(inside, path)
      } else
        found[path] = facts.isSymbolicLink()
          ? `to ${readlinkSync(inside)}`
          : createHash('sha256').update(readFileSync(inside)).digest('hex')
    }
  }
  for (const [shown, place] of Object.entries(roots)) visit(place, shown)
  return found
}

const address = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

export const startJob = async (ask: Ask, request: object): Promise<Job & { message?: string }> =>
  (await (
    await ask('/api/jobs', {
      method: 'POST',
      body: JSON.stringify(request),
      headers: { prefer: 'wait=20', accept: 'application/json' },
    })
  ).json()) as Job

export const operationsOf = async (ask: Ask): Promise<Operation[]> =>
  (await (await ask('/api/operations')).json()) as Operation[]

interface Surroundings {
  readonly random: Random
  /** Where files and folders are, as paths of the account. */
  readonly roots: Readonly<Record<string, string>>
  readonly merges: boolean
}

/** One change of a random kind, which may be refused. Answers with what it was. */
export async function changeSomething(ask: Ask, { random, roots, merges }: Surroundings): Promise<string> {
  const tree = Object.keys(treeIn(roots))
  const tops = Object.keys(roots)
  const one = <T>(list: readonly T[]): T | undefined => list[random(list.length)]
  const files = tree.filter((path) => !path.endsWith('/'))
  const folders = [...tops, ...tree.filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1))]
  const entries = tree.map((path) => path.replace(/\/$/, ''))
  const [file, folder, entry, other] = [one(files), one(folders) ?? '', one(entries), one(entries) ?? '']
  const fresh = `${folder}/${['a', 'b', 'c', 'deep/d'][random(4)]}${random(30)}`
  const body = `${random(1e9)} `.repeat(1 + random(20))
  const taken = merges ? ['replace', 'keep-both', 'skip', 'newer'][random(4)] : 'keep-both'
  const nameIn = (path: string) => path.slice(path.lastIndexOf('/'))
  switch (random(16)) {
    case 0:
      await ask(`/api/resources${address(`${fresh}.txt`)}`, { method: 'POST', body })
      return `create ${fresh}.txt`
    case 1:
      await ask(`/api/resources${address(`${fresh}`)}/`, { method: 'POST' })
      return `create folder ${fresh}`
    case 2:
      if (file !== undefined) await ask(`/api/resources${address(file)}`, { method: 'PUT', body })
      return `save ${file}`
    case 3:
      if (file !== undefined) await ask(`/api/resources${address(file)}?override=true`, { method: 'POST', body })
      return `replace ${file}`
    case 4: {
      const line = (path: string, content: string) =>
        `${JSON.stringify({ path, length: content.length, override: true })}\n${content}`
      const files = [line(`${fresh}/1.txt`, body), line(`${fresh}/in/2.txt`, body), line(`${fresh}.bin`, body)]
      await ask('/api/uploads', { method: 'POST', body: files.join('') })
      return `upload ${fresh}`
    }
    case 5:
      if (entry !== undefined) {
        const to = `${entry}-${random(9)}`
        await ask(`/api/resources${address(entry)}?action=rename&destination=${encodeURIComponent(to)}`, {
          method: 'PATCH',
        })
      }
      return `rename ${entry}`
    case 6:
    case 7: {
      const to = `${folder}${nameIn(entry ?? '/x')}`
      if (entry !== undefined) await startJob(ask, { kind: 'move', items: [{ from: entry, to }], onConflict: taken })
      return `move ${entry} to ${to} ${taken}`
    }
    case 8: {
      const to = `${folder}${nameIn(entry ?? '/x')}`
      if (entry !== undefined) await startJob(ask, { kind: 'copy', items: [{ from: entry, to }], onConflict: taken })
      return `copy ${entry} to ${to} ${taken}`
    }
    case 9:
      if (entry !== undefined) await ask(`/api/resources${address(entry)}`, { method: 'DELETE' })
      return `remove ${entry}`
    case 10: {
      const items = [...new Set([entry, other])].filter((each) => each !== undefined && each !== '')
      if (items.length > 0) await startJob(ask, { kind: 'delete', items })
      return `remove ${items.join(' and ')}`
    }
    case 11:
    case 12:
    case 13: {
      const { items } = (await (await ask('/api/trash')).json()) as Trash
      const item = one(items.filter(({ canRestore }) => canRestore))
      if (item !== undefined) {
        const { past, path } = item
        // Onto another folder, too: what is in both is merged.
        const to = merges && item.isDir && random(2) === 0 ? (one(folders.slice(tops.length)) ?? path) : path
        await startJob(ask, { kind: 'restore', items: [{ past, from: path, to }], onConflict: taken })
      }
      return `restore ${item?.path} ${taken}`
    }
    case 14: {
      if (file === undefined) return 'restore no version'
      const { moments = [] } = (await (await ask(`/api/timeline${address(file)}`)).json()) as Partial<Timeline>
      const moment = one(moments.filter(({ kind }) => kind === 'version'))
      if (moment?.past !== undefined)
        await startJob(ask, { kind: 'restore', items: [{ past: moment.past, from: file, to: file }] })
      return `restore ${moment === undefined ? 'no' : 'a'} version of ${file}`
    }
    default: {
      // A copy of a folder, and then a move of the one onto the other: all that they hold is the same.
      const top = one(folders.slice(tops.length))
      if (!merges || top === undefined) return 'move nothing'
      const to = `${one(tops)}${nameIn(top)}-twin`
      await startJob(ask, { kind: 'copy', items: [{ from: top, to }], onConflict: 'replace' })
      await startJob(ask, { kind: 'move', items: [{ from: top, to }], onConflict: taken })
      return `move ${top} onto its twin ${to} ${taken}`
    }
  }
}
