import type { ConflictChoice } from '@filestead/contract'
import { Failure } from '../failure.ts'
import type { EntryKind } from './entry.ts'
import type { TakenRule } from './transfer-options.ts'

interface Timed {
  readonly kind: EntryKind
  readonly seconds: number
  readonly nanoseconds: number
}

/** What is done with a file whose name is taken; `newer` is decided. Throws where the rule refuses it. */
export function choiceFor(
  { default: other, by }: TakenRule,
  path: string,
  comes: Timed,
  there: Timed,
): Exclude<ConflictChoice, 'newer'> {
  const choice = ruled({ default: other, by }, path)
  if (choice === 'refuse') throw new Failure('already-exists', `The name ${JSON.stringify(path)} is taken`)
  const isMixed = (comes.kind === 'folder') !== (there.kind === 'folder')
  if (isMixed && choice !== 'skip' && choice !== 'keep-both')
    throw new Failure('already-exists', 'A file and a folder cannot replace each other')
  if (choice !== 'newer') return choice
  return isNewer(comes, there) ? 'replace' : 'skip'
}

/** Does the one that is there stay where both have the same size and time, whatever their contents are? */
export function leavesAlike(rule: TakenRule, path: string): boolean {
  const choice = ruled(rule, path)
  return choice === 'skip' || choice === 'newer'
}

const ruled = ({ default: other, by }: TakenRule, path: string): TakenRule['default'] =>
  (by !== undefined && Object.hasOwn(by, path) ? by[path] : undefined) ?? other

const isNewer = (one: Timed, two: Timed): boolean =>
  one.seconds === two.seconds ? one.nanoseconds > two.nanoseconds : one.seconds > two.seconds
