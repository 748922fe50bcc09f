import { extensionOf, join, nameOf, type OnConflict, parentOf } from '@filestead/contract'
import { mayIn } from '../queries/access.ts'
import { createFile, createFolder, type Entry, removeEntry, transfer } from '../queries/resources.ts'
import type { Operation } from './change.ts'

/** The entry under another path. The server tells afterwards what its type and its rights are there. */
export function movedTo({ can: _, ...entry }: Entry, path: string): Entry {
  return { ...entry, name: nameOf(path), path, extension: entry.isDir ? '' : extensionOf(path) }
}

export const renaming = (entry: Entry, name: string): Operation => moving(entry, join(parentOf(entry.path), name))

/** What was overwritten is gone, so there is no way back from it. */
export function moving(entry: Entry, path: string, onConflict: OnConflict = 'fail'): Operation {
  const moved = movedTo(entry, path)
  return {
    name: entry.name,
    expected: [
      { kind: 'gone', path: entry.path },
      { kind: 'put', entry: moved },
    ],
    send: (signal) => transfer({ action: 'rename', from: entry.path, to: path, onConflict }, signal),
    ...(onConflict !== 'overwrite' && isWayBack(entry.path, path) && { inverse: () => moving(moved, entry.path) }),
  }
}

/** Back from a folder in which things can be put and not taken away there is none. */
const isWayBack = (from: string, to: string): boolean =>
  parentOf(from) === parentOf(to) || (mayIn(parentOf(to), 'move') && mayIn(parentOf(from), 'receive'))

export function copying(entry: Entry, path: string, onConflict: OnConflict = 'fail'): Operation {
  const copy = movedTo(entry, path)
  return {
    name: entry.name,
    expected: [{ kind: 'put', entry: copy }],
    send: (signal) => transfer({ action: 'copy', from: entry.path, to: path, onConflict }, signal),
    ...(onConflict !== 'overwrite' && removable(copy)),
  }
}

export const creatingFolder = (path: string): Operation =>
  creating(newEntry(path, true), (signal) => createFolder(path, signal))

export const creatingFile = (path: string): Operation => creating(newEntry(path, false), () => createFile(path))

const creating = (entry: Entry, send: Operation['send']): Operation => ({
  name: entry.name,
  expected: [{ kind: 'put', entry }],
  send,
  ...removable(entry),
})

export const removing = (entry: Entry): Operation => ({
  name: entry.name,
  expected: [{ kind: 'gone', path: entry.path }],
  send: (signal) => removeEntry(entry.path, signal),
})

/** What is made can be taken back by removing it, as long as it is as it was made. */
const removable = (entry: Entry): Pick<Operation, 'inverse'> =>
  mayIn(parentOf(entry.path), 'delete')
    ? {
        inverse(made, signal) {
          const { name, path } = entry
          const removal = import('./remove-unchanged.ts').then(({ removingUnchanged }) =>
            removingUnchanged(path, made, signal),
          )
          // Where it cannot be loaded, undoing tells.
          removal.catch(() => {})
          return { name, expected: [{ kind: 'gone', path }], send: async (signal) => (await removal)(signal) }
        },
      }
    : {}

function newEntry(path: string, isDir: boolean): Entry {
  const name = nameOf(path)
  const facts = { size: 0, modified: new Date().toISOString(), mode: 0, isSymlink: false }
  return { path, name, ...facts, extension: isDir ? '' : extensionOf(name), isDir, type: isDir ? '' : 'text' }
}
