import { numbered } from '@filestead/contract/paths'
import { choiceFor } from '../taken.ts'
import type { TakenRule } from '../transfer-options.ts'
import { type Folder, type Node, sizeOf } from './memory-nodes.ts'

/** Merges one folder into another by a rule about names that are taken. True when nothing has to stay in the first. */
export function mergeBy(
  rule: TakenRule,
  from: Folder,
  to: Folder,
  { isMove }: { isMove: boolean },
  inside = '',
): boolean {
  let isEmptied = true
  for (const [name, node] of [...from.names]) {
    const path = inside === '' ? name : `${inside}/${name}`
    const there = to.names.get(name)
    let isGone = true
    if (there === undefined) to.names.set(name, node)
    else if (node.kind === 'folder' && there.kind === 'folder') isGone = mergeBy(rule, node, there, { isMove }, path)
    else if (!isIdentical(node, there)) isGone = put(choiceFor(rule, path, node, there), to, name, node)
    if (isGone && isMove) from.names.delete(name)
    isEmptied &&= isGone
  }
  return isEmptied
}

/** Refuses before anything is changed. */
export function requireTaken(rule: TakenRule, from: Folder, to: Folder, inside = ''): void {
  for (const [name, node] of from.names) {
    const path = inside === '' ? name : `${inside}/${name}`
    const there = to.names.get(name)
    if (there === undefined || isIdentical(node, there)) continue
    if (node.kind === 'folder' && there.kind === 'folder') requireTaken(rule, node, there, path)
    else choiceFor(rule, path, node, there)
  }
}

function put(choice: ReturnType<typeof choiceFor>, to: Folder, name: string, node: Node): boolean {
  if (choice === 'skip') return false
  let free = name
  for (let count = 1; choice === 'keep-both' && to.names.has(free); count += 1) free = numbered(name, count)
  to.names.set(free, node)
  return true
}

const isIdentical = (one: Node, two: Node): boolean =>
  one.kind === 'file' &&
  two.kind === 'file' &&
  one.seconds === two.seconds &&
  one.nanoseconds === two.nanoseconds &&
  Buffer.compare(one.bytes, two.bytes) === 0

export const amountOf = (node: Node): { files: number; bytes: number } => ({
  files: filesIn(node),
  bytes: sizeOf(node),
})

const filesIn = (node: Node): number =>
  node.kind === 'folder' ? [...node.names.values()].reduce((sum, child) => sum + filesIn(child), 0) : 1
