import { randomUUID } from 'node:crypto'
import { taskGroup } from '../../concurrency/task-group.ts'
import { Failure, isFailure } from '../../failure.ts'
import { inOnePiece, ofLength } from '../byte-stream.ts'
import { parentOf, rebase, type VirtualPath } from '../path.ts'
import { type Entry, type FilledEntry, LinkInTheWay, type Precondition, type WriteOptions } from '../port.ts'
import { requireVersion } from '../version.ts'
import type { RemoteDraft } from './files.ts'
import type { Claim, Keeper } from './keeping.ts'
import { inTheWay, look, lookAtFolder, makeParents, mostAtOnce, notFound, type Remote, withParents } from './remote.ts'

/** What a precondition refuses is refused here. */
export function requireWritable(remote: Remote, there: Entry | undefined, precondition: Precondition): void {
  if (there === undefined) {
    if (precondition !== 'absent' && precondition !== 'any') notFound('There is no such file')
    return
  }
  if (precondition === 'absent') throw new Failure('already-exists', 'This name is taken')
  if (there.kind === 'link') throw inTheWay(remote)
  if (there.kind === 'folder') throw new Failure('already-exists', 'A folder has this name')
  requireVersion(precondition, there)
}

/** The same in the last step. */
function requireStillWritable(remote: Remote, there: Entry | undefined, precondition: Precondition): void {
  try {
    requireWritable(remote, there, precondition)
  } catch (error) {
    if (!(error instanceof LinkInTheWay)) throw error
    throw new Failure('changed-meanwhile', 'The file was replaced by a link meanwhile')
  }
}

export async function write(
  remote: Remote,
  path: VirtualPath,
  base: VirtualPath,
  bytes: AsyncIterable<Uint8Array>,
  options: WriteOptions,
  keeper: Keeper | undefined,
): Promise<Entry> {
  const { files } = remote
  const { precondition, length, modified } = options
  const there = await look(remote, path)
  requireWritable(remote, there, precondition)
  return withParents(remote, path, base, keeper?.made, () => {
    const counted = ofLength(bytes, length)
    // What is kept is kept right before the last step, when all bytes are there.
    const isDirect = files.abilities.conditional && (keeper === undefined || precondition === 'absent')
    return isDirect
      ? files.write(path, counted, { precondition, length, modified })
      : writeByDraft(remote, path, counted, options, keeper)
  })
}

async function writeByDraft(
  remote: Remote,
  path: VirtualPath,
  bytes: AsyncIterable<Uint8Array>,
  options: WriteOptions,
  keeper: Keeper | undefined,
): Promise<Entry> {
  const { files, records } = remote
  const id = randomUUID()
  const release = await records.drafts.lock(path, id)
  try {
    await files.beginDraft(path, id, { length: options.length, modified: options.modified })
    const draft = await files.openDraft(path, id)
    await draft.append(bytes)
    return await commit(remote, path, draft, options, keeper)
  } catch (error) {
    await files.dropDraft(path, id).catch(() => {})
    throw error
  } finally {
    release()
  }
}

/** Between two looks others may change it again and again. */
const mostTries = 5

/** The draft becomes the file; what it replaces is kept first. */
export async function commit(
  remote: Remote,
  path: VirtualPath,
  draft: RemoteDraft,
  { precondition, length, modified }: WriteOptions,
  keeper: Keeper | undefined,
): Promise<Entry> {
  if (length !== undefined && draft.size !== length)
    throw new Failure('incomplete', 'The connection ended before the file was whole')
  return replacing(remote, path, precondition, keeper, (step) => draft.commit({ precondition: step, length, modified }))
}

/**
 * Runs the step by which a file gets a name: under a lock where the server does not look by itself. With a keeper only what
 * was kept is replaced.
 */
export async function replacing<T>(
  remote: Remote,
  path: VirtualPath,
  precondition: Precondition,
  keeper: Keeper | undefined,
  step: (precondition: Precondition) => Promise<T>,
): Promise<T> {
  const { conditional } = remote.files.abilities
  if (conditional && (keeper === undefined || precondition === 'absent')) return step(precondition)
  const attempt = async (): Promise<T> => {
    const there = await look(remote, path)
    requireStillWritable(remote, there, precondition)
    const claim = there && (await keeper?.keepReplaced(path, there))
    try {
      const result = await step(there === undefined ? 'absent' : [there.version])
      claim?.done()
      return result
    } catch (error) {
      if (there !== undefined && claim !== undefined) await dropUnlessGone(remote, path, there, claim)
      throw error
    }
  }
  const alone = async () => {
    const release = await remote.records.lockName(path)
    try {
      return await attempt()
    } finally {
      release()
    }
  }
  const run = () => (conditional ? attempt() : remote.locks.run(path, alone))
  for (let tries = 1; ; tries += 1) {
    try {
      return await run()
    } catch (error) {
      const isMeanwhile = isFailure(error, 'already-exists', 'changed-meanwhile', 'not-found')
      if (!isMeanwhile || precondition !== 'any' || tries === mostTries) throw error
      requireStillWritable(remote, await look(remote, path), precondition)
    }
  }
}

/** A step may have been carried out though its answer was lost: then what was kept is the only one. */
async function dropUnlessGone(remote: Remote, path: VirtualPath, entry: Entry, claim: Claim): Promise<void> {
  const now = await remote.files.stat(path).catch(() => undefined)
  if (now?.version === entry.version) await claim.drop().catch(() => {})
  else claim.done()
}

export async function createFolder(
  remote: Remote,
  folder: VirtualPath,
  base: VirtualPath,
  keeper: Keeper | undefined,
): Promise<void> {
  const there = await look(remote, folder)
  if (there?.kind === 'link') throw inTheWay(remote)
  if (there !== undefined && there.kind !== 'folder') throw new Failure('already-exists', 'A file has this name')
  if (there === undefined)
    await withParents(remote, folder, base, keeper?.made, () => remote.files.createFolder(folder))
}

/** Folders first, each once, and then many files at a time. */
export async function fill(remote: Remote, folder: VirtualPath, entries: readonly FilledEntry[]): Promise<void> {
  await lookAtFolder(remote, folder)
  const known = new Set<VirtualPath>([folder])
  const group = taskGroup(mostAtOnce)
  try {
    for (const { path, kind, bytes = new Uint8Array(), modified } of entries) {
      const at = rebase(folder, path)
      if (at === folder) continue
      await makeKnown(remote, at, folder, known)
      if (kind === 'folder') {
        if (!known.has(at)) await createFolder(remote, at, folder, undefined)
        known.add(at)
      } else
        await group.start(async () => {
          if ((await remote.files.stat(at))?.kind === 'folder')
            throw new Failure('already-exists', 'A file and a folder cannot replace each other')
          const times = modified === undefined ? {} : { modified: modified * 1000 }
          await remote.files.write(at, inOnePiece(bytes), { precondition: 'any', length: bytes.length, ...times })
        })
    }
  } finally {
    await group.wait()
  }
}

async function makeKnown(remote: Remote, path: VirtualPath, base: VirtualPath, known: Set<VirtualPath>): Promise<void> {
  const parent = parentOf(path)
  if (known.has(parent)) return
  ;(await makeParents(remote, path, base)).release()
  known.add(parent)
}
