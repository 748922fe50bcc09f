import { type FolderResource, parentOf, type SharedResource } from '@filestead/contract'
import { useEffect, useEffectEvent, useMemo } from 'react'
import { ApiError, getJson } from '../server/client.ts'
import { publicSharePath } from '../server/paths.ts'
import { perSession, useScope } from '../state/session-scope.ts'
import { createStore, type Store } from '../state/store.ts'

/**
 * What the server told of a link. Visitors need two kinds of question only, so their page does without the query
 * library of the file manager.
 */

export type FolderOfLink = FolderResource & Pick<SharedResource, 'token' | 'expire'>
export type SharedItem = SharedResource | FolderOfLink

export const isSharedFolder = (item: SharedItem): item is FolderOfLink => item.isDir

/** A path below a link ('/' is what was shared itself), and the password that opens it. */
export interface SharedAddress {
  hash: string
  path: string
  password: string
}

interface Answer {
  /** The latest that came. A failure does not take it away. */
  item: SharedItem | undefined
  /** When it came. */
  time: number
  /** Of the latest request that came to its end. */
  error: unknown
  /** The request that is under way. */
  request: AbortController | null
}

type Answers = ReadonlyMap<string, Answer>

const none: Answer = { item: undefined, time: 0, error: null, request: null }
/** Folders can be long: those that were left long ago are asked for again. */
const mostAnswers = 20

const answersOf = perSession(() => createStore<Answers>(new Map()))

const keyOf = ({ hash, path, password }: SharedAddress): string => JSON.stringify([hash, password, path])

/** The latest come last. */
function keep(store: Store<Answers>, key: string, answer: Answer): void {
  const others = [...store.get()].filter(([other]) => other !== key)
  store.set(new Map([...others.slice(1 - mostAnswers), [key, answer]]))
}

/** A lost connection is worth another try; a refusal is an answer. */
const pauses = [1000, 2000]

/** Asks the server, unless that is under way. */
export async function loadSharedItem(
  address: SharedAddress,
  { retries = pauses.length, store = answersOf() } = {},
): Promise<void> {
  const key = keyOf(address)
  const before = store.get().get(key) ?? none
  if (before.request !== null) return
  const request = new AbortController()
  keep(store, key, { ...before, error: before.item === undefined ? null : before.error, request })
  const settle = (change: Partial<Answer>) => {
    const now = store.get().get(key)
    if (now?.request === request) keep(store, key, { ...now, ...change, request: null })
  }
  try {
    const item = await ask(address, request.signal, retries)
    settle({ item, time: Date.now(), error: null })
  } catch (error) {
    settle({ error })
  }
}

/** Gives up a request, so that a line that gives no answer is not waited for on the next visit. */
export function leaveSharedItem(address: SharedAddress, store = answersOf()): void {
  const now = store.get().get(keyOf(address))
  if (now === undefined || now.request === null) return
  now.request.abort()
  keep(store, keyOf(address), { ...now, request: null })
}

async function ask(address: SharedAddress, signal: AbortSignal, retries: number): Promise<SharedItem> {
  const { hash, path, password } = address
  const headers: Record<string, string> = password === '' ? {} : { 'X-SHARE-PASSWORD': encodeURIComponent(password) }
  try {
    return await getJson<SharedItem>(publicSharePath(hash, path), { isPublic: true, headers, signal })
  } catch (error) {
    const isLost = error instanceof ApiError && error.status === 0
    if (!isLost || retries === 0) throw error
    await new Promise((resolve) => setTimeout(resolve, pauses.at(-retries)))
    return ask(address, signal, retries - 1)
  }
}

/**
 * A file as the listing of its folder tells of it, where that is known, with the latest token and the end of the link.
 * Asking for the file itself would check the password again, which takes the server long.
 */
export function listedFile(
  { hash, path, password }: SharedAddress,
  store = answersOf(),
): { item: SharedItem; time: number } | undefined {
  const folder = store.get().get(keyOf({ hash, path: parentOf(path), password }))?.item
  const file = folder !== undefined && 'items' in folder ? folder.items.find((item) => item.path === path) : undefined
  if (file === undefined || file.isDir) return undefined
  const answers = [...store.get()].filter(([key]) => key.startsWith(JSON.stringify([hash, password]).slice(0, -1)))
  const [latest] = answers.map(([, answer]) => answer).toSorted((a, b) => b.time - a.time)
  const { token, expire } = latest?.item ?? {}
  const ofLink = { ...(token !== undefined && { token }), ...(expire !== undefined && { expire }) }
  return { item: { ...file, ...ofLink }, time: latest?.time ?? 0 }
}

/** A token is valid for an hour, and renewed for as long as the page is open. */
const renewal = 30 * 60_000

/**
 * What is at an address of a link. What the listing tells of a file is enough until the token has to be renewed; a
 * folder is read whenever it is opened.
 */
export function useSharedItem({ hash, path, password }: SharedAddress): Answer & { reload(): void } {
  const address = useMemo(() => ({ hash, path, password }), [hash, path, password])
  const store = answersOf(useScope())
  const answer = store.use((answers) => answers.get(keyOf(address))) ?? none
  const listed = useMemo(() => listedFile(address, store), [address, store])
  const { item, time } = answer.item === undefined && listed !== undefined ? listed : answer
  const isOld = useEffectEvent(() => Date.now() - time >= renewal)

  useEffect(() => {
    if (listed === undefined || isOld()) void loadSharedItem(address, { store })
    return () => leaveSharedItem(address, store)
  }, [address, listed, store])

  useEffect(() => {
    if (address.password === '') return
    const renew = () => void loadSharedItem(address, { store })
    // A computer that slept has missed a renewal.
    const onVisible = () => !document.hidden && isOld() && renew()
    const timer = setInterval(renew, renewal)
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [address, store])

  return { ...answer, item, time, reload: () => void loadSharedItem(address, { store }) }
}

/**
 * The folder of a file, where that is shared, too; asked for once. Where it cannot be read there are no neighbours, and
 * no message.
 */
export function useFolderOf({ hash, path, password }: SharedAddress, isFile: boolean) {
  const isBelow = isFile && path !== '/'
  const address = useMemo(() => ({ hash, path: parentOf(path), password }), [hash, path, password])
  const store = answersOf(useScope())
  const { item, error } = store.use((answers) => answers.get(keyOf(address))) ?? none

  useEffect(() => {
    const isKnown = store.get().get(keyOf(address))?.item !== undefined
    if (isBelow && !isKnown) void loadSharedItem(address, { retries: 0, store })
  }, [isBelow, address, store])

  const folder = isBelow && item !== undefined && isSharedFolder(item) ? item : undefined
  return { folder, isKnown: !isBelow || item !== undefined || error !== null }
}
