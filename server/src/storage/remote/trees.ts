import { posix } from 'node:path'
import { nameOf, numbered } from '@filestead/contract/paths'
import type { Cancellation } from '../../concurrency/cancellation.ts'
import { taskGroup } from '../../concurrency/task-group.ts'
import { isFailure } from '../../failure.ts'
import { linkElsewhere } from '../links.ts'
import { type Meter, meterFor } from '../meter.ts'
import { childOf, exactOf, inFolder, isDraftName, parentOf, type VirtualPath } from '../path.ts'
import type { Entry, Precondition } from '../port.ts'
import { choiceFor } from '../taken.ts'
import type { Progress, TakenRule, TransferKind } from '../transfer-options.ts'
import { type At, childrenOf, isSame, precisely, requireSameKind } from './comparing.ts'
import type { Keeper } from './keeping.ts'
import { bringFile, moveFile, removeIfEmpty, removeTree } from './moving.ts'
import { allIn, isHidden, mostAtOnce, type Remote } from './remote.ts'
import { replacing } from './writing.ts'

export interface TreeOptions {
  readonly kind: TransferKind
  readonly rule?: TakenRule | undefined
  readonly signal?: Cancellation | undefined
  readonly progress?: Progress | undefined
  readonly keeper?: Keeper | undefined
  /** An earlier try was ended: what is alike at the target is its work, and trusted. */
  readonly goesOn?: boolean
  /** The target is hidden, and becomes the same: what differs is replaced, what is not in the source goes. */
  readonly mirrors?: boolean
  /** What fails takes back what it has done, as far as the server lets it. */
  readonly undoes?: boolean
}

/**
 * Copies or moves a tree, to a free name or onto what is there. Many files are under way at once, each of which is under at
 * least one of both names at every moment.
 */
export class TreeTransfer {
  readonly #remote: Remote
  readonly #options: TreeOptions
  readonly #meter: Meter
  readonly #group = taskGroup(mostAtOnce)
  /** Of a move: folders of the source that may be empty now, outer ones first. */
  readonly #left: { readonly path: VirtualPath; readonly isMerged: boolean }[] = []
  /** Folders that were made, outer ones first, with the times that they get in the end. */
  readonly #made: { readonly path: VirtualPath; readonly like: Entry }[] = []
  readonly #brought: { readonly from: At; readonly to: VirtualPath }[] = []
  #pathToOriginal = ''

  constructor(remote: Remote, options: TreeOptions) {
    this.#remote = remote
    this.#options = options
    this.#meter = meterFor(options.progress)
  }

  async run(from: At, to: VirtualPath, there: Entry | undefined): Promise<void> {
    this.#pathToOriginal = posix.relative(to, from.path)
    try {
      try {
        if (from.entry.kind === 'folder') await this.#folder(from, to, there !== undefined, there !== undefined, '')
        else if (there === undefined) await this.#free(from, to, '')
        else await this.#replace(from, to, '')
      } finally {
        await this.#group.wait()
      }
      await this.#end()
      this.#meter.end()
    } catch (error) {
      if (this.#options.undoes) await this.#undo()
      throw error
    }
  }

  /** `isMerged`: what comes into it is told name by name. */
  async #folder(from: At, to: VirtualPath, isThere: boolean, isMerged: boolean, inside: string): Promise<void> {
    const { files } = this.#remote
    const { kind, signal } = this.#options
    signal?.throwIfAborted()
    if (!isThere && kind === 'move' && files.renameFolder !== undefined) {
      await files.renameFolder(from.path, to)
      return
    }
    if (!isThere) {
      this.#made.push({ path: to, like: from.entry })
      await files.createFolder(to)
    }
    if (kind === 'move') this.#left.push({ path: from.path, isMerged })
    const there = isThere ? await childrenOf(this.#remote, to) : undefined
    for (const entry of await allIn(this.#remote, from.path)) {
      signal?.throwIfAborted()
      const name = exactOf(entry)
      if (isHidden(name)) continue
      await this.#child({ path: childOf(from.path, entry), entry }, inFolder(to, name), {
        there: there?.get(name),
        isMerged,
        inside: posix.join(inside, name),
      })
      there?.delete(name)
    }
    if (this.#options.mirrors) for (const entry of there?.values() ?? []) await this.#drop(childOf(to, entry), entry)
  }

  async #child(
    from: At,
    to: VirtualPath,
    { there, isMerged, inside }: { there: Entry | undefined; isMerged: boolean; inside: string },
  ): Promise<void> {
    const isFolder = from.entry.kind === 'folder'
    const areFolders = isFolder && there?.kind === 'folder'
    if (areFolders) return this.#folder(from, to, true, isMerged, inside)
    if (there === undefined) {
      if (isMerged && isFolder) this.#placed(from, to)
      if (isFolder) return this.#folder(from, to, false, false, inside)
      return this.#group.start(async () => {
        await this.#free(from, to, inside)
        if (isMerged) this.#placed(from, to)
      })
    }
    const target = { path: to, entry: there }
    const decide = () =>
      this.#options.mirrors ? this.#mirror(from, target, inside) : this.#taken(from, target, inside)
    return isFolder ? decide() : this.#group.start(decide)
  }

  async #drop(path: VirtualPath, { kind }: Entry): Promise<void> {
    if (kind === 'folder') await removeTree(this.#remote, path)
    else await this.#remote.files.removeFile(path)
  }

  /** Of what is hidden: it is the same, or becomes so. */
  async #mirror(from: At, there: At, inside: string): Promise<void> {
    if (await isSame(this.#remote, from, there, trusting, inside, this.#options.signal))
      return this.#alike(from, there, inside)
    await this.#drop(there.path, there.entry)
    if (from.entry.kind === 'folder') await this.#folder(from, there.path, false, false, inside)
    else await this.#free(from, there.path, inside)
  }

  #placed(from: At, to: VirtualPath): void {
    const { kind, keeper } = this.#options
    keeper?.placed(to, kind === 'move' ? from.path : undefined)
  }

  /** What becomes of an entry whose name is taken. */
  async #taken(from: At, there: At, inside: string): Promise<void> {
    const { kind, rule, goesOn = false, signal } = this.#options
    const merge: TakenRule | undefined = rule ?? (goesOn ? { default: 'keep-both' } : undefined)
    // What goes for a file that is alike is the only other one: bytes are compared, whatever the rule is.
    const trusted = kind === 'move' ? undefined : goesOn ? trusting : merge
    if (merge !== undefined && (await isSame(this.#remote, from, there, trusted, inside, signal)))
      return this.#alike(from, there, inside)
    if (merge === undefined) {
      requireSameKind(from.entry, there.entry)
      await this.#replace(from, there.path, inside)
      return this.#placed(from, there.path)
    }
    const choice = choiceFor(lenient(merge, goesOn), inside, ...(await precisely(this.#remote, from, there)))
    if (choice === 'skip') return
    if (choice === 'replace') {
      await this.#replace(from, there.path, inside)
      return this.#placed(from, there.path)
    }
    this.#placed(from, await this.#aside(from, there.path, inside))
  }

  /** Tells the name that it got. */
  async #aside(from: At, to: VirtualPath, inside: string): Promise<VirtualPath> {
    const { files } = this.#remote
    const { goesOn = false, signal } = this.#options
    for (let count = 1; ; count += 1) {
      const aside = inFolder(parentOf(to), numbered(nameOf(to), count))
      const there = await files.stat(aside)
      if (there !== undefined) {
        if (goesOn && (await isSame(this.#remote, from, { path: aside, entry: there }, undefined, inside, signal))) {
          await this.#alike(from, { path: aside, entry: there }, inside)
          return aside
        }
        continue
      }
      try {
        if (from.entry.kind === 'folder') await this.#folder(from, aside, false, false, inside)
        else await this.#free(from, aside, inside)
        return aside
      } catch (error) {
        if (!isFailure(error, 'already-exists')) throw error
      }
    }
  }

  /** The same file is there. What goes is kept nevertheless, so that a move can be taken back. */
  async #alike(from: At, there: At, inside: string): Promise<void> {
    const { kind, keeper, goesOn = false } = this.#options
    if (kind === 'move' && from.path !== there.path) {
      const claim = goesOn ? undefined : await keeper?.claim(from.path, from.entry, 'removed')
      if (claim?.place !== undefined) {
        await moveFile(this.#remote, { from: from.path, entry: from.entry, to: claim.place, precondition: 'absent' })
        claim.done()
      } else {
        await this.#remote.files.removeFile(from.path, from.entry.version)
        if (!goesOn) keeper?.lost(from.path)
      }
    }
    this.#meter.file(inside).end(from.entry.size)
  }

  async #free(from: At, to: VirtualPath, inside: string): Promise<void> {
    if (!this.#isPortable(from)) return
    await replacing(this.#remote, to, 'absent', undefined, (precondition) =>
      this.#bring(from, to, precondition, inside),
    )
    if (this.#options.undoes) this.#brought.push({ from, to })
  }

  /** A symlink in its place gives way like a file. */
  async #replace(from: At, to: VirtualPath, inside: string): Promise<void> {
    if (!this.#isPortable(from)) return
    const { files } = this.#remote
    const { keeper, kind } = this.#options
    const there = files.abilities.symlinks ? await files.stat(to) : undefined
    if (there?.kind !== 'link') {
      await replacing(this.#remote, to, 'any', keeper, (step) => this.#bring(from, to, step, inside))
      return
    }
    if (kind === 'copy' || files.renameFile === undefined) await files.removeFile(to)
    await this.#bring(from, to, 'any', inside)
    keeper?.lost(to)
  }

  /** A copy leaves out what is neither a file nor a symlink. */
  #isPortable({ entry }: At): boolean {
    return this.#options.kind === 'move' || entry.kind === 'file' || entry.kind === 'link'
  }

  async #bring({ path, entry }: At, to: VirtualPath, precondition: Precondition, inside: string) {
    const { kind, signal } = this.#options
    signal?.throwIfAborted()
    const metered = this.#meter.file(inside)
    if (kind === 'copy' && entry.kind === 'link') await this.#copyLink(path, to, inside)
    else await bringFile(this.#remote, kind, { from: path, entry, to, precondition, signal, metered })
    metered.end(entry.kind === 'file' ? entry.size : 0)
  }

  /** It means the same in the copy. */
  async #copyLink(path: VirtualPath, to: VirtualPath, inside: string): Promise<void> {
    const { files } = this.#remote
    const target = await files.readLink?.(path)
    if (target !== undefined) await files.makeLink?.(to, linkElsewhere(target, this.#pathToOriginal, inside))
  }

  async #end(): Promise<void> {
    const { files } = this.#remote
    const { keeper } = this.#options
    for (const { path, like } of this.#made.toReversed()) await files.setFolderTime?.(path, like)
    for (const { path, isMerged } of this.#left.toReversed()) {
      await this.#dropHidden(path)
      if ((await removeIfEmpty(this.#remote, path)) && isMerged) keeper?.tell({ kind: 'emptied', at: path })
    }
  }

  /** Drafts in a folder that was emptied: the uploads that fill them have lost it. */
  async #dropHidden(folder: VirtualPath): Promise<void> {
    const { files } = this.#remote
    const left = await allIn(this.#remote, folder)
    if (left.some((entry) => !isDraftName(exactOf(entry)))) return
    for (const entry of left) if (entry.kind !== 'folder') await files.removeFile(childOf(folder, entry))
  }

  /** What cannot be taken back, because something else is there by now or the server is away, stays. */
  async #undo(): Promise<void> {
    const { files } = this.#remote
    for (const { from, to } of this.#brought.toReversed()) await this.#takeBack(from, to).catch(() => {})
    for (const { path } of this.#made.toReversed()) await files.removeFolder(path).catch(() => {})
  }

  async #takeBack({ path }: At, to: VirtualPath): Promise<void> {
    if (this.#options.kind === 'copy') return this.#remote.files.removeFile(to)
    if ((await this.#remote.files.stat(parentOf(path))) === undefined) return
    const copy = await this.#remote.files.stat(to)
    if (copy !== undefined) await moveFile(this.#remote, { from: to, entry: copy, to: path, precondition: 'absent' })
  }
}

/** Of an earlier try of the same transfer, size and time are enough. */
const trusting: TakenRule = { default: 'skip' }

/** Everything was asked before the first try; what has come since is refused too late. */
const lenient = (rule: TakenRule, goesOn: boolean): TakenRule =>
  goesOn && rule.default === 'refuse' ? { ...rule, default: 'keep-both' } : rule
