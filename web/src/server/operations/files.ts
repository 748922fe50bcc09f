import { extensionOf, join, nameOf, parentOf } from '@filestead/contract'
import { createFile, createFolder, type Entry, rename } from '../queries/resources.ts'
import type { Change, Operation } from './change.ts'

/** The entry under another path. The server tells afterwards what its type and its rights are there. */
export function movedTo({ can: _, ...entry }: Entry, path: string): Entry {
  return { ...entry, name: nameOf(path), path, extension: entry.isDir ? '' : extensionOf(path) }
}

export const moving = (entry: Entry, path: string): Change => ({
  name: entry.name,
  expected: [
    { kind: 'gone', path: entry.path },
    { kind: 'put', entry: movedTo(entry, path) },
  ],
})

export const copying = (entry: Entry, path: string): Change => ({
  name: entry.name,
  expected: [{ kind: 'put', entry: movedTo(entry, path) }],
})

export const removing = (entry: Entry): Change => ({
  name: entry.name,
  expected: [{ kind: 'gone', path: entry.path }],
})

export function renaming(entry: Entry, name: string): Operation {
  const path = join(parentOf(entry.path), name)
  return { ...moving(entry, path), send: (signal, batch) => rename(entry.path, path, { signal, batch }) }
}

export const creatingFolder = (path: string): Operation => ({
  ...creating(newEntry(path, true)),
  send: (signal, batch) => createFolder(path, { signal, batch }),
})

export const creatingFile = (path: string): Operation => ({
  ...creating(newEntry(path, false)),
  send: (signal, batch) => createFile(path, { signal, batch }),
})

const creating = (entry: Entry): Change => ({ name: entry.name, expected: [{ kind: 'put', entry }] })

function newEntry(path: string, isDir: boolean): Entry {
  const name = nameOf(path)
  const facts = { size: 0, modified: new Date().toISOString(), mode: 0, isSymlink: false }
  return { path, name, ...facts, extension: isDir ? '' : extensionOf(name), isDir, type: isDir ? '' : 'text' }
}
