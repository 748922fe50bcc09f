import type { ConflictChoice, OnConflict } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import { Failure, isFailure } from '../failure.ts'
import type { Location } from '../mounts/location.ts'
import { checkedPath, type VirtualPath } from '../storage/path.ts'
import type { Entry } from '../storage/port.ts'
import type { TakenRule, TransferKind } from '../storage/transfer-options.ts'
import { conflictsOf, haveSameContents, isIdentical } from './conflicts.ts'
import { freeName, statOrNothing } from './items.ts'
import type { Run } from './kind.ts'
import { type Choices, choiceFor } from './record.ts'

/** How an entry is copied or moved. */
export interface Way {
  readonly to: VirtualPath
  readonly onConflict: OnConflict
  /** About files in a folder that is merged with another one. */
  readonly taken?: TakenRule | undefined
}

/** In bytes. */
const quicklyCompared = 16 << 20

/** `asked`: the entry waits for an answer. */
export type Decision = Way | 'skip' | 'asked'

interface Question {
  readonly kind: TransferKind
  readonly index: number
  readonly from: VirtualPath
  readonly to: VirtualPath
  readonly source: Entry
  /** Where `from` is seen, if that is not the present: a kept item or a snapshot. */
  readonly past?: Scope | undefined
  /** A name that is taken is a failure, and whatever is there is replaced where that is wanted, as it always was. */
  readonly fails: boolean
  /** The storage has refused a name although all seemed to be answered: what looks the same is compared by its contents. */
  readonly comparesContents?: boolean
}

/** What happens to an entry, by what stands at its target now and by what was answered about that. */
export async function decide(run: Run<unknown>, scope: Scope, question: Question): Promise<Decision> {
  const { kind, index, from, to, source, past, fails, comparesContents } = question
  const target = await statOrNothing(scope, to)
  // Also where nothing can be seen: the storage refuses what is taken, and another name is tried where that is wanted.
  if (target === undefined) return { to, onConflict: run.choice(to) === 'keep-both' ? 'rename' : 'fail' }
  const isItself = past === undefined && scope.locate(from) === scope.locate(to)
  if (isItself && kind === 'move') return 'skip'
  const choice = run.choice(to)
  if (!isItself && !fails && (await isThere(run, scope, question, target, choice)))
    return kind === 'copy' ? 'skip' : replacing(scope, to)
  if (choice === undefined) {
    if (fails) throw new Failure('already-exists', 'This name is taken')
    const options = { comparesContents, sources: past ?? scope }
    const conflicts = await conflictsOf(scope, { from, to }, [source, target], run.signal, options)
    for (const conflict of conflicts) run.ask(index, conflict)
    return 'asked'
  }
  if (choice === 'skip') return 'skip'
  if (choice === 'keep-both') return { to: await freeName(scope, to), onConflict: 'rename' }
  if (isItself) return 'skip'
  // Of a symlink, a copy is one of what it leads to.
  const comesAsFolder = source.kind === 'folder' && (kind === 'copy' || !source.isLink)
  if (comesAsFolder && isFolder(target)) return merge(run, scope, question, target, choice)
  if (comesAsFolder !== isFolder(target))
    throw new Failure('already-exists', 'A file and a folder cannot replace each other')
  return choice === 'newer' && !isNewer(source, target) ? 'skip' : replacing(scope, to)
}

/** Others may take a name again and again. */
const mostTries = 4

/** The work begins with a decision. Where another one has taken a name since, it is decided about anew. */
export async function decidingAnew(
  run: Run<{ readonly failsOnConflict: boolean }>,
  work: (comparesContents: boolean) => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work(tries > 1)
    } catch (error) {
      if (!isFailure(error, 'already-exists') || tries === mostTries || run.plan.failsOnConflict) throw error
      run.signal.throwIfAborted()
    }
  }
}

function replacing(scope: Scope, to: VirtualPath): Way {
  scope.require('change', to)
  return { to, onConflict: 'overwrite' }
}

/**
 * The file is at its target already. Two files of one size that were written in the same moment have the same time, so that
 * contents are compared, unless the one that is there stays in either case. A large one that shall be replaced is compared by
 * the storage, which ends with the first difference.
 */
async function isThere(
  run: Run<unknown>,
  scope: Scope,
  { kind, from, to, source, past = scope }: Question,
  target: Entry,
  choice: ConflictChoice | undefined,
): Promise<boolean> {
  if (!isIdentical(source, target) || source.isLink || target.isLink) return false
  if (kind === 'copy' && (choice === 'skip' || choice === 'newer')) return true
  if (kind === 'copy' && choice === 'replace' && source.size > quicklyCompared) return false
  return haveSameContents([past, from], [scope, to], run.signal)
}

async function merge(
  run: Run<unknown>,
  scope: Scope,
  { index, from, to, source, past = scope, fails, comparesContents }: Question,
  target: Entry,
  choice: 'replace' | 'newer',
): Promise<Decision> {
  scope.require('change', to)
  if (fails) return { to, onConflict: 'overwrite' }
  const { forAll } = run.choices
  const rule = choice === 'newer' ? choice : forAll === 'ask' ? 'refuse' : forAll
  const by = choicesBelow(run.choices, scope.locate(to))
  if (rule === 'refuse') {
    const ends = [source, target] as const
    const [, ...below] = await conflictsOf(scope, { from, to }, ends, run.signal, {
      comparesContents,
      sources: past,
    })
    const open = below.filter(
      (conflict) => choiceFor(run.choices, scope.locate(checkedPath(conflict.to))) === undefined,
    )
    for (const conflict of open) run.ask(index, conflict)
    if (open.length > 0) return 'asked'
  }
  return { to, onConflict: 'overwrite', taken: { default: rule, by } }
}

/** By the path below the folder. */
function choicesBelow({ by }: Choices, folder: Location): Record<string, ConflictChoice> {
  const prefix = folder.endsWith('/') ? folder : `${folder}/`
  return Object.fromEntries(
    Object.entries(by)
      .filter(([location]) => location.startsWith(prefix))
      .map(([location, choice]) => [location.slice(prefix.length), choice]),
  )
}

const isFolder = ({ kind, isLink }: Entry): boolean => kind === 'folder' && !isLink

const isNewer = (one: Entry, two: Entry): boolean =>
  one.seconds === two.seconds ? one.nanoseconds > two.nanoseconds : one.seconds > two.seconds
