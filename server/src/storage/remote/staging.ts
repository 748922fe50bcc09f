import { isInside } from '@filestead/contract/paths'
import { hiddenFor, type VirtualPath } from '../path.ts'
import type { PublishOptions, UnstageOptions } from '../transfer-options.ts'
import { requireMergeable } from './comparing.ts'
import { dropDraftsBelow } from './drafts.ts'
import type { Keeper } from './keeping.ts'
import { removeTree, taken } from './moving.ts'
import { look, notFound, type Remote, withParents } from './remote.ts'
import { begun, done } from './transfers.ts'
import { TreeTransfer } from './trees.ts'

/** The hidden folder that others have filled gets its name, or is merged. What was ended halfway goes on. */
export async function publish(
  remote: Remote,
  to: VirtualPath,
  base: VirtualPath,
  id: string,
  { replace, taken: rule, inside, signal, keep: _ }: PublishOptions,
  keeper: Keeper | undefined,
): Promise<void> {
  const { transfers } = remote.records
  const note = await transfers.find(to, id)
  if (note === done) return
  const path = hiddenFor(to, id, inside)
  const [entry, there] = [await look(remote, path), await look(remote, to)]
  if (entry !== undefined) {
    if (note === undefined && there !== undefined) {
      if (!replace) throw taken()
      await requireMergeable(remote, { path, entry }, { path: to, entry: there }, { rule, signal })
    }
    await transfers.save(to, id, begun)
    const goesOn = note !== undefined
    await withParents(remote, to, base, keeper?.made, () =>
      new TreeTransfer(remote, { kind: 'move', rule, signal, keeper, goesOn }).run({ path, entry }, to, there),
    )
  } else if (note === undefined || there === undefined) notFound('Nothing was staged')
  // What the rule has skipped.
  await dropHidden(remote, path)
  await transfers.save(to, id, done)
}

/** Everything in a hidden folder is whole, so what there is of a copy can be kept; but it takes nothing's place. */
export async function unstage(
  remote: Remote,
  to: VirtualPath,
  id: string,
  { publish, inside }: UnstageOptions,
): Promise<void> {
  const { transfers } = remote.records
  const path = hiddenFor(to, id, inside)
  const entry = await look(remote, path)
  const there = entry && publish && !inside ? await look(remote, to) : undefined
  if (entry !== undefined && publish && !inside && (await transfers.find(to, id)) === undefined) {
    const isMerge = there?.kind === 'folder' && entry.kind === 'folder'
    if (there === undefined || isMerge)
      await new TreeTransfer(remote, { kind: 'move', rule: { default: 'skip' } }).run({ path, entry }, to, there)
  }
  await dropHidden(remote, path)
  await dropParts(remote, to, id)
  await transfers.forget(to, id)
}

/** Drafts of files that were on their way from another mount, of which the adapter has notes. */
async function dropParts(remote: Remote, to: VirtualPath, staged: string): Promise<void> {
  for (const { path, id } of await remote.records.drafts.all())
    if (isInside(path, to) && id.startsWith(`${staged}.`)) await remote.files.dropDraft(path, id)
}

async function dropHidden(remote: Remote, path: VirtualPath): Promise<void> {
  const entry = await remote.files.stat(path)
  if (entry?.kind !== 'folder') return entry && remote.files.removeFile(path)
  await removeTree(remote, path)
  await dropDraftsBelow(remote, path)
}
