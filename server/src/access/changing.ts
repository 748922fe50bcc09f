import { type ConflictChoice, nameOf, type Right } from '@filestead/contract'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { Failure, ignoring } from '../failure.ts'
import { type Location, locationIn, mountOf, pathIn } from '../mounts/location.ts'
import { replacementMark } from '../storage/exact-names.ts'
import { inFolder, parentOf, rebase, restOf, type VirtualPath } from '../storage/path.ts'
import type { OpenDraft, Precondition } from '../storage/port.ts'
import type { PublishOptions, TransferKind, TransferOptions } from '../storage/transfer-options.ts'
import { asShown, hasAll, type Lookup, notAllowed } from './lookup.ts'
import type { Scope } from './scope.ts'
import { rightsToTransfer } from './transfer-rights.ts'

type Changing = Pick<
  Scope,
  | 'write'
  | 'beginDraft'
  | 'openDraft'
  | 'completeDraft'
  | 'dropDraft'
  | 'createFolder'
  | 'rename'
  | 'copy'
  | 'stage'
  | 'publish'
  | 'unstage'
  | 'remove'
  | 'keepPlace'
  | 'restore'
>

/** A path as it was asked for, the place where it lies, and what is needed there and everywhere below. */
interface End {
  readonly asked: VirtualPath
  readonly place: VirtualPath
  readonly rights: readonly Right[]
}

/** The verbs of a scope that change something. */
export function changingIn(lookup: Lookup): Changing {
  const { storage, look, persistently, through, inPlace, placeOf, resolve, meant } = lookup
  const { tree, visibility, rights } = lookup.view

  /** A place in a store counts from the root of its mount, and a thing goes there and comes back by a rename. */
  function placeInMount(kept: Location, path: VirtualPath): VirtualPath {
    const location = tree.locate(path)
    if (location === undefined || mountOf(location) !== mountOf(kept))
      throw new Failure('invalid', 'It is kept in another root folder')
    return pathIn(kept)
  }

  /** A folder is moved, copied or removed as a whole, so the actor must have the right to everything in it. */
  async function requireAllBelow(source: End, target: End | undefined, signal?: Cancellation): Promise<void> {
    requireThroughout(source)
    if (target !== undefined) requireThroughout(target)
    const folder = source.place
    const [leaves, arrives] = [asShown(folder), asShown(target?.place ?? folder)]
    if (!visibility.mayDenyBelow(leaves) && !visibility.mayDenyBelow(arrives)) return
    // What is not there holds nothing; the verb itself tells.
    const there = await storage.stat(folder).catch(ignoring('not-found'))
    if (there?.kind !== 'folder') return
    await storage.visitBelow(folder, (path) => {
      signal?.throwIfAborted()
      const below = asShown(restOf(path, folder === '/' ? 0 : folder.length))
      // Both folders are permitted, and nothing is met below one that is not.
      if (visibility.denies(rebase(leaves, below)) || visibility.denies(rebase(arrives, below))) throw notAllowed()
    })
  }

  function requireThroughout({ asked, place, rights: needed }: End): void {
    if (rights === undefined) return
    for (const path of new Set([asShown(asked), asShown(place)]))
      if (!hasAll(rights.rightsThroughout(path), needed)) throw notAllowed()
  }

  const rightsIn = (folder: VirtualPath) => rights?.rightsIn(asShown(folder))

  /** Answers where both ends really lie. */
  async function requireTransfer(
    kind: TransferKind,
    from: VirtualPath,
    to: VirtualPath,
    options: Pick<TransferOptions, 'replace' | 'signal'>,
    needed = rightsToTransfer(kind, rightsIn, from, to),
  ): Promise<[source: VirtualPath, target: VirtualPath]> {
    const leaving: Right[] = [needed.leaving]
    const arriving = arrivingIn(needed.arriving, options)
    // Of a link, a copy is one of what it leads to.
    if (kind === 'copy') look(from, ...leaving)
    const source =
      kind === 'copy' ? look(await resolve(await meant(from)), ...leaving) : await placeOf(from, ...leaving)
    const target = await placeOf(to, ...arriving)
    const neededThere = rightsToTransfer(kind, rightsIn, source, target)
    if (needed.leaving === 'change' && neededThere.leaving !== 'change')
      return requireTransfer(kind, from, to, options, neededThere)
    await requireAllBelow(
      { asked: from, place: source, rights: leaving },
      { asked: to, place: target, rights: arriving },
      options.signal,
    )
    return [source, target]
  }

  /** Where a name really lies, whatever the actor may do there. */
  async function placeWithout(asked: VirtualPath): Promise<VirtualPath> {
    const path = asked.includes(replacementMark) ? await storage.exact(asked) : asked
    return inFolder(await resolve(parentOf(path)), nameOf(path))
  }

  /** A draft may become a new file, or the new version of one: which of both is asked when it does. */
  function requireWriting(path: VirtualPath): void {
    const shown = asShown(path)
    if (rights === undefined) look(path)
    else if (!rights.allows(shown, 'create') && !rights.allows(shown, 'change')) throw notAllowed()
  }

  /** What was begun may be given up by its owner, whatever was taken from it since. */
  function requirePermitted(path: VirtualPath): void {
    if (rights === undefined) look(path)
    else if (!rights.allows(asShown(path))) throw notAllowed()
  }

  const requireFor =
    (precondition: Precondition) =>
    (path: VirtualPath): void =>
      void look(path, ...neededFor(precondition))

  return {
    write: (file, bytes, options) =>
      through(file, neededFor(options.precondition), (at) => storage.write(at, bytes, options)),

    beginDraft: (file, id, options, note) =>
      through(file, neededFor(options.precondition), async (at) => {
        await note(at)
        return storage.beginDraft(at, id, options)
      }),
    openDraft: (draft, access) =>
      inPlace(draft, requireWriting, async (at) => {
        const opened = await storage.openDraft(at, draft.id, access)
        return rights === undefined
          ? opened
          : new WatchedDraft(opened, ({ precondition }) => requireFor(precondition)(at))
      }),
    completeDraft: (draft, last, options) =>
      inPlace(draft, requireFor(options.precondition), (at) => storage.completeDraft(at, draft.id, last, options)),
    dropDraft: (draft) => inPlace(draft, requirePermitted, (at) => storage.dropDraft(at, draft.id)),

    createFolder: (folder, options) => through(folder, ['create'], (at) => storage.createFolder(at, options)),

    rename: (from, to, options) =>
      persistently(async () => storage.rename(...(await requireTransfer('move', from, to, options)), options)),

    copy: (from, to, options) =>
      persistently(async () => storage.copy(...(await requireTransfer('copy', from, to, options)), options)),

    stage: (kind, from, to, options) =>
      persistently(async () => storage.stage(kind, ...(await requireTransfer(kind, from, to, options)), options)),

    publish: (to, id, options) =>
      persistently(async () => {
        const needed = arrivingIn('create', { replace: mayReplace(options) })
        const place = options.inside ? look(await resolve(await meant(to)), ...needed) : await placeOf(to, ...needed)
        look(to, ...needed)
        if (needed.length > 1) requireThroughout({ asked: to, place, rights: needed })
        await storage.publish(place, id, options)
      }),

    unstage: (to, id, options) =>
      persistently(async () => {
        if (options?.inside) return storage.unstage(await resolve(await storage.exact(to)), id, options)
        if (!options?.publish) return storage.unstage(await placeWithout(to), id, options)
        const place = await placeOf(to, 'create')
        requireThroughout({ asked: to, place, rights: ['create'] })
        await storage.unstage(place, id, options)
      }),

    remove: (path, options) =>
      persistently(async () => {
        const place = await placeOf(path, 'delete')
        await requireAllBelow({ asked: path, place, rights: ['delete'] }, undefined, options?.signal)
        const { keptAt, ...rest } = options ?? {}
        await storage.remove(place, { ...rest, keptAt: keptAt && placeInMount(keptAt, place) })
      }),

    keepPlace: (path, keep) =>
      persistently(async () => {
        const at = await placeOf(path, 'delete')
        const place = await storage.keepPlace(at, keep)
        const location = tree.locate(at)
        return place && location && locationIn(mountOf(location), place)
      }),

    restore: (kept, to, options) =>
      persistently(async () => {
        const needed: Right[] = options.over === undefined ? arrivingIn('create', options) : ['change']
        const place = await placeOf(to, ...needed)
        requireThroughout({ asked: to, place, rights: needed })
        await storage.restore(placeInMount(kept, place), place, options)
      }),
  }
}

/** Can files that are there give way? What is merged around them needs no right to change them. */
const mayReplace = ({ replace, taken }: PublishOptions): boolean =>
  replace &&
  (taken === undefined || [taken.default, ...Object.values(taken.by ?? {})].some((choice) => replacing.has(choice)))

const replacing: ReadonlySet<ConflictChoice | 'refuse'> = new Set(['replace', 'newer'])

/** What is there may give way, or be merged with what comes. */
const arrivingIn = (right: Right, { replace }: Pick<TransferOptions, 'replace'>): Right[] =>
  replace ? [right, 'change'] : [right]

/** A new file is created, one that is there is changed. */
function neededFor(precondition: Precondition): readonly Right[] {
  if (precondition === 'absent') return ['create']
  return precondition === 'any' ? ['create', 'change'] : ['change']
}

/** An open draft that asks for the right once more when it becomes a file. */
class WatchedDraft implements OpenDraft {
  readonly #draft: OpenDraft
  readonly #require: (options: Parameters<OpenDraft['commit']>[0]) => void

  constructor(draft: OpenDraft, require: (options: Parameters<OpenDraft['commit']>[0]) => void) {
    this.#draft = draft
    this.#require = require
  }

  get size() {
    return this.#draft.size
  }

  append: OpenDraft['append'] = (bytes) => this.#draft.append(bytes)
  readInto: OpenDraft['readInto'] = (memory, start) => this.#draft.readInto(memory, start)
  truncate: OpenDraft['truncate'] = (size) => this.#draft.truncate(size)
  sync: OpenDraft['sync'] = () => this.#draft.sync()
  close: OpenDraft['close'] = () => this.#draft.close()

  async commit(options: Parameters<OpenDraft['commit']>[0]) {
    this.#require(options)
    return this.#draft.commit(options)
  }
}
