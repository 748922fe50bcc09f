import { posix } from 'node:path'
import { nameOf, parentOf, segmentsOf } from '@filestead/contract/paths'
import { Failure } from '../../failure.ts'
import { type EntryFacts, PlainEntry } from '../entry.ts'
import { linkElsewhere } from '../links.ts'
import { LinkInTheWay, type WriteOptions } from '../port.ts'

/** The tree behind the storage in memory. */
export type Node = Facts &
  (FolderNode | { kind: 'file'; bytes: Uint8Array<ArrayBuffer> } | { kind: 'link'; target: string })
export type Folder = Facts & FolderNode

interface FolderNode {
  kind: 'folder'
  names: Map<string, Node>
}

type Facts = Pick<EntryFacts, 'mode' | 'seconds' | 'nanoseconds'> & { readonly id: number }

let lastId = 0

export function facts(mode: number): Facts {
  const now = Date.now()
  lastId += 1
  return { id: lastId, mode, seconds: Math.floor(now / 1000), nanoseconds: (now % 1000) * 1_000_000 }
}

export const newFolder = (): Folder => ({ ...facts(0o750), kind: 'folder', names: new Map() })

/** Every write makes a new node, so its number is its version, too. */
export function entryOf(name: string, node: Node, { hasId } = { hasId: true }): PlainEntry {
  const { kind, mode, seconds, nanoseconds, id } = node
  const facts = { name, kind, isLink: kind === 'link', size: ownSize(node), mode, seconds, nanoseconds }
  return new PlainEntry(facts, { id: hasId ? String(id) : undefined, version: `"${id}"` })
}

const ownSize = (node: Node): number =>
  node.kind === 'file' ? node.bytes.length : node.kind === 'link' ? node.target.length : 0

/** A new version keeps the mode of the old one. */
export function newFile(bytes: Uint8Array<ArrayBuffer>, before: Node | undefined, { modified }: WriteOptions): Node {
  const { id, mode, ...now } = facts(before?.mode ?? 0o640)
  const seconds = Math.floor((modified ?? 0) / 1000)
  const then = { seconds, nanoseconds: ((modified ?? 0) - seconds * 1000) * 1_000_000 }
  return { id, mode, ...(modified === undefined ? now : then), kind: 'file', bytes }
}

/** What stands at a place, reached without following a link. */
export function lookUp(world: Folder, path: string): Node | undefined {
  let node: Node | undefined = world
  for (const name of segmentsOf(path)) {
    if (node.kind !== 'folder') throw inTheWay(node)
    requireShort(name)
    node = node.names.get(name)
    if (node === undefined) return undefined
  }
  return node
}

/** Parents included, and nothing at all if one of the names is refused. */
export function put(world: Folder, path: string, node: Node): void {
  const names = segmentsOf(path)
  for (const name of names) requireShort(name)
  let folder = world
  for (const name of names.slice(0, -1)) {
    const next: Node = folder.names.get(name) ?? newFolder()
    if (next.kind !== 'folder') throw inTheWay(next)
    folder.names.set(name, next)
    folder = next
  }
  folder.names.set(nameOf(path), node)
}

export function drop(world: Folder, path: string): void {
  const parent = lookUp(world, parentOf(path))
  if (parent?.kind === 'folder') parent.names.delete(nameOf(path))
}

export function merge(world: Folder, path: string, node: Node): void {
  const there = lookUp(world, path)
  if (node.kind !== 'folder' || there?.kind !== 'folder') put(world, path, node)
  else for (const [name, child] of node.names) merge(world, `${path}/${name}`, child)
}

export function requireMergeable(node: Node, there: Node | undefined): void {
  if (there === undefined) return
  if ((node.kind === 'folder') !== (there.kind === 'folder'))
    throw new Failure('already-exists', 'A file and a folder cannot replace each other')
  if (node.kind !== 'folder' || there.kind !== 'folder') return
  for (const [name, child] of node.names) requireMergeable(child, there.names.get(name))
}

export function clone(node: Node, pathToOriginal: string, inside = ''): Node {
  const copy = { ...node, ...facts(node.mode), seconds: node.seconds, nanoseconds: node.nanoseconds }
  if (copy.kind === 'link') copy.target = linkElsewhere(copy.target, pathToOriginal, inside)
  if (copy.kind === 'folder')
    copy.names = new Map(
      [...copy.names].map(([name, child]) => [name, clone(child, pathToOriginal, posix.join(inside, name))] as const),
    )
  return copy
}

export const sizeOf = (node: Node): number =>
  node.kind === 'folder' ? [...node.names.values()].reduce((sum, child) => sum + sizeOf(child), 0) : ownSize(node)

function requireShort(name: string): void {
  if (Buffer.byteLength(name) > 255) throw new Failure('invalid', 'the name is too long')
}

const inTheWay = (node: Node): Error =>
  node.kind === 'link' ? new LinkInTheWay() : new Failure('not-found', 'Part of the path is a file, not a folder')

export function notFound(message = 'There is no such file or folder'): never {
  throw new Failure('not-found', message)
}
