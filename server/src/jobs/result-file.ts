import { nameOf } from '@filestead/contract'
import type { DraftPlace, Scope } from '../access/scope.ts'
import { uploadFile, withOptions } from '../changes/verbs.ts'
import { isoTime } from '../entries/times.ts'
import { Failure, isFailure } from '../failure.ts'
import { type Location, parseLocation } from '../mounts/location.ts'
import { inFolder, parentOf, type VirtualPath } from '../storage/path.ts'
import type { Entry, OpenDraft } from '../storage/port.ts'
import { freeName, pathOf, statOrNothing } from './items.ts'
import type { ClearRun, Run } from './kind.ts'

/** The part of a plan that says which file the job makes, and of which entries. */
export interface ResultPlan {
  readonly to: Location
  readonly items: readonly Location[]
}

/** What the work of a job is given: a draft that holds all that was kept by the goes before this one, and no more. */
export interface Result<State> {
  /** What the last `keep` was told; undefined at the beginning. */
  readonly state: State | undefined
  /** The file that the draft becomes. */
  readonly path: VirtualPath
  readonly draft: OpenDraft
  /** A second draft for what is needed in the end; it is dropped then. Only where the work wants one. */
  readonly side?: OpenDraft | undefined
  /** Waits until all that was written is safe, and notes that the job goes on from here. */
  keep(state: State): Promise<void>
}

/** What `run.notes` holds. */
interface Notes<State> {
  /** The file that the draft becomes. */
  readonly target: string
  /** Where that really lies, and the draft beside it. */
  readonly place: string
  /** What is there may give way. */
  readonly override: boolean
  /** So many bytes of the draft, and of the second one, are on the disk. */
  readonly size: number
  readonly sideSize: number
  readonly state?: State | undefined
  /** Nothing but the name is missing. */
  readonly isWhole?: boolean
}

/**
 * Runs the work of a job that makes one file. The file appears when it is whole. A name that is taken is asked about before
 * the first byte, and once more where it was taken meanwhile; the draft stays until then.
 */
export async function makeResult<State>(
  run: Run<ResultPlan>,
  write: (result: Result<State>) => Promise<void>,
  { hasSide = false }: { hasSide?: boolean | undefined } = {},
): Promise<void> {
  const drafts = draftsOf(run)
  if (!(await begin(run))) return finish(run)
  const notes = () => run.notes as unknown as Notes<State>
  if (!notes().isWhole) {
    const draft = await drafts.open(0, notes().size)
    const side = hasSide ? await drafts.open(1, notes().sideSize).catch(closing(draft)) : undefined
    try {
      // A draft that lost what was noted, such as one whose folder was moved away, is begun anew.
      const isAsNoted = draft.size === notes().size && (side?.size ?? 0) === notes().sideSize
      if (!isAsNoted) {
        await draft.truncate(0)
        await side?.truncate(0)
        run.notes = { ...notes(), size: 0, sideSize: 0, state: undefined }
      }
      const { state } = notes()
      const path = (await drafts.place(0)).path
      const keep = async (kept: State) => {
        await draft.sync()
        await side?.sync()
        run.notes = { ...notes(), size: draft.size, sideSize: side?.size ?? 0, state: kept }
        await run.save()
      }
      await write({ state, path, draft, side, keep })
      run.notes = { ...notes(), size: draft.size, isWhole: true }
    } finally {
      draft.close()
      side?.close()
    }
    await run.save()
  }
  await publish(run)
  finish(run)
}

/** Also where an answer is awaited: what was asked about is done in another go. */
function finish(run: Run<ResultPlan>): void {
  run.cursor = run.plan.items.length
  run.redone(0)
}

/** Drops what is not whole. */
export async function clearResult(run: ClearRun<ResultPlan>): Promise<void> {
  if (run.notes.place === undefined) return
  const drafts = draftsOf(run)
  for (const index of [0, 1]) await drafts.drop(index)
}

/** Chooses the name and makes the drafts. False where the job has to wait for an answer, or has nothing to do. */
async function begin(run: Run<ResultPlan>): Promise<boolean> {
  if (run.notes.place !== undefined) return true
  const scope = await run.scope()
  const asked = pathOf(scope, run.plan.to)
  const chosen = await chooseName(run, scope, asked, await statOrNothing(scope, asked))
  if (typeof chosen === 'string') return false
  const { path, override } = chosen
  // The place is noted first: a draft that no row knows would stay for long.
  const note = async (place: VirtualPath) => {
    const noted: Notes<unknown> = {
      target: scope.locate(path),
      place: scope.locate(place),
      override,
      size: 0,
      sideSize: 0,
    }
    run.notes = { ...noted }
    await run.save()
  }
  await withOptions(scope, path, { length: 0, override, modified: undefined }, (options) =>
    scope.beginDraft(path, idOf(run, 0), options, note),
  )
  return true
}

interface Chosen {
  readonly path: VirtualPath
  readonly override: boolean
}

async function chooseName(
  run: Run<ResultPlan>,
  scope: Scope,
  path: VirtualPath,
  there: Entry | undefined,
): Promise<Chosen | 'asked' | 'skipped'> {
  if (there === undefined) return { path, override: false }
  const choice = run.choice(path)
  if (choice === undefined) {
    run.ask(0, { from: path, to: path, source: fresh(), target: sideOf(there) })
    return 'asked'
  }
  if (choice === 'skip') {
    run.skipped(0)
    return 'skipped'
  }
  if (choice === 'keep-both') return { path: await freeName(scope, path), override: false }
  // What is made now is newer than whatever is there.
  if (there.kind === 'folder') throw new Failure('already-exists', 'A folder has this name')
  scope.require('change', path)
  return { path, override: true }
}

/** Gives the draft its name. Where that was taken meanwhile, the rule of the job holds for it, too. */
async function publish(run: Run<ResultPlan>): Promise<void> {
  const drafts = draftsOf(run)
  for (;;) {
    const notes = run.notes as unknown as Notes<unknown>
    const scope = await run.scope()
    const { path } = await drafts.place(0)
    try {
      if (!(await isPublished(scope, path, drafts, notes))) await commit(run, scope, path, drafts, notes)
      break
    } catch (error) {
      if (!isFailure(error, 'already-exists') || notes.override) throw error
      const chosen = await chooseName(run, scope, path, await statOrNothing(scope, path))
      if (chosen === 'skipped') await clearResult(run)
      if (typeof chosen === 'string') return
      const folder = parentOf(pathOf(scope, parseLocation(notes.place)))
      const place = chosen.path === path ? notes.place : scope.locate(inFolder(folder, nameOf(chosen.path)))
      run.notes = { ...notes, target: scope.locate(chosen.path), place, override: chosen.override }
      await run.save()
    }
  }
  await drafts.drop(1)
  const scope = await run.scope()
  const [asked, path] = [pathOf(scope, run.plan.to), (await drafts.place(0)).path]
  if (asked !== path) run.renamed(0, asked, path)
  run.did({ path })
}

async function commit(
  run: Run<ResultPlan>,
  scope: Scope,
  path: VirtualPath,
  drafts: Drafts,
  { override, size }: Notes<unknown>,
): Promise<void> {
  const draft = await drafts.open(0, size)
  try {
    if (draft.size !== size) throw new Failure('incomplete', 'The draft is not whole any more')
    await uploadFile(run.changes, scope, path, { length: size, override, modified: undefined }, (options) =>
      draft.commit(options),
    )
  } finally {
    draft.close()
  }
}

/** The server died behind the last step: the draft has become the file. */
async function isPublished(
  scope: Scope,
  path: VirtualPath,
  drafts: Drafts,
  { size }: Notes<unknown>,
): Promise<boolean> {
  try {
    const draft = await scope.openDraft(await drafts.place(0))
    draft.close()
    return false
  } catch (error) {
    if (!isFailure(error, 'not-found')) throw error
    const there = await statOrNothing(scope, path)
    if (there?.kind === 'file' && there.size === size) return true
    throw new Failure('incomplete', 'The draft is gone')
  }
}

interface Drafts {
  place(index: number): Promise<DraftPlace>
  /** Made where it is not there, and cut to so many bytes where it has more. */
  open(index: number, size: number): Promise<OpenDraft>
  drop(index: number): Promise<void>
}

function draftsOf(run: ClearRun<ResultPlan>): Drafts {
  const notes = () => run.notes as unknown as Notes<unknown>
  const place = async (index: number): Promise<DraftPlace> => {
    const scope = await run.scope()
    const { target, place: noted } = notes()
    return {
      id: idOf(run, index),
      path: pathOf(scope, parseLocation(target)),
      place: pathOf(scope, parseLocation(noted)),
    }
  }
  return {
    place,
    async open(index, size) {
      const scope = await run.scope()
      const at = await place(index)
      const draft = await openOrBegin(scope, at, notes().override)
      if (draft.size > size) await draft.truncate(size).catch(closing(draft))
      return draft
    },
    async drop(index) {
      try {
        await (await run.scope()).dropDraft(await place(index))
      } catch (error) {
        // Out of reach by now: it is cleared away like any draft that belongs to nothing.
        if (!(error instanceof Failure)) throw error
      }
    },
  }
}

async function openOrBegin(scope: Scope, at: DraftPlace, override: boolean): Promise<OpenDraft> {
  try {
    return await scope.openDraft(at, { isExclusive: true })
  } catch (error) {
    if (!isFailure(error, 'not-found')) throw error
    await withOptions(scope, at.path, { length: 0, override, modified: undefined }, (options) =>
      scope.beginDraft(at.path, at.id, options, async () => {}),
    )
    return scope.openDraft(at, { isExclusive: true })
  }
}

const idOf = ({ id }: Pick<Run<unknown>, 'id'>, index: number): string => `${id}.${index}`

const sideOf = ({ kind, size, seconds }: Entry) => ({
  isDir: kind === 'folder',
  size,
  modified: isoTime(seconds * 1000),
})

const fresh = () => ({ isDir: false, size: 0, modified: new Date().toISOString() })

const closing = (draft: OpenDraft) => (error: unknown) => {
  draft.close()
  throw error
}
