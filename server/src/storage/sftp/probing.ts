import type { Usage } from '@filestead/contract'
import { nameOf } from '@filestead/contract/paths'
import { Failure } from '../../failure.ts'
import type { Entry } from '../entry.ts'
import { childOf, hiddenIn, inFolder, parentOf, rootPath, type VirtualPath } from '../path.ts'
import { close, lstat, open, type Session, spaceAt, unlink } from './client.ts'
import { ServerAway } from './connection.ts'
import { newFileMode, onceId } from './drafts.ts'
import { failureOf, translated } from './failures.ts'
import { openFlag } from './packets.ts'
import type { Place } from './place.ts'
import { list } from './reading.ts'

export async function space(place: Place): Promise<Usage> {
  const session = await place.lookups()
  const found = await translated(session, () => spaceAt(session, rootPath))
  return { total: found?.total ?? 0, used: found?.used ?? 0 }
}

export interface ProbeOptions {
  readonly isReadOnly: boolean
  /** Hears whether capital and small letters are the same there, where that was found out. */
  foldsCase(isSo: boolean): void
}

export async function probe(
  place: Place,
  folder: string,
  { isReadOnly, foldsCase }: ProbeOptions,
): Promise<string | undefined> {
  try {
    const session = await place.lookups()
    const tell = async (path: VirtualPath) => {
      const isSo = await foldsCaseAt(session, path)
      if (isSo !== undefined) foldsCase(isSo)
    }
    const seen = await firstPage(place)
    if (isReadOnly) {
      const [known] = onlySpelling(seen)
      if (known !== undefined) await tell(childOf(rootPath, known))
      return undefined
    }
    const path = hiddenIn(rootPath, onceId())
    close(await open(session, path, openFlag.write | openFlag.create | openFlag.exclusive, newFileMode))
    await tell(path).finally(() => unlink(session, path))
    return undefined
  } catch (error) {
    if (error instanceof ServerAway) return error.detail
    return `The folder ${JSON.stringify(folder)} can be reached, but not used: ${await reasonOf(error, place)}`
  }
}

/** Is a file also found by its name in the other case? Undefined where that says nothing. Rights are about names. */
async function foldsCaseAt(session: Session, path: VirtualPath): Promise<boolean | undefined> {
  const name = nameOf(path)
  const other = name.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
  if (other === name) return undefined
  return (await lstat(session, inFolder(parentOf(path), other))) !== undefined
}

async function firstPage(place: Place): Promise<readonly Entry[]> {
  for await (const page of list(place, rootPath)) if (page.length > 0) return page
  return []
}

/** Names with letters that no other name is like: one of these in the other case is the same file, or none. */
function onlySpelling(entries: readonly Entry[]): Entry[] {
  const count = new Map<string, number>()
  for (const { name } of entries) count.set(name.toLowerCase(), (count.get(name.toLowerCase()) ?? 0) + 1)
  return entries.filter(({ name }) => /[a-z]/i.test(name) && count.get(name.toLowerCase()) === 1)
}

async function reasonOf(error: unknown, place: Place): Promise<string> {
  if (error instanceof Failure) return error.message
  const failure = await failureOf(error, await place.lookups())
  return failure instanceof Error ? failure.message : String(failure)
}
