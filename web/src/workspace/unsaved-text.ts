import { encodePath, isInside, nameOf } from '@filestead/contract'
import { useSyncExternalStore } from 'react'
import { t } from '../i18n/i18n.ts'
import { currentSession } from '../server/session.ts'
import { onPersonLeft, personalItem } from '../state/personal-storage.ts'
import { type Ending, perSession } from '../state/session-scope.ts'
import { askedAtSignOut } from '../state/work.ts'

/**
 * Texts that are not saved, kept in the browser until they are saved, discarded, or deleted with their files. They
 * outlive the page, its tab and the end of a session, but not signing out. Each tab keeps its own text of a file.
 */

/** What a list of the texts shows, without the texts themselves. */
export interface KeptText {
  tab: string
  userId: number
  path: string
  /** The address of its editor, below the base URL. */
  address: string
  /** When it was written last, in milliseconds since 1970. */
  at: number
}

export interface UnsavedText extends Omit<KeptText, 'tab' | 'at'> {
  /** The version of the file that the text came from. */
  version: string | null
  /** Without line breaks, which may be others by the time the text is restored. */
  lines: readonly string[]
}

/** A text as it is found again. */
export interface StoredText extends UnsavedText, KeptText {
  /** Kept by this tab, not by another one that may still be open. */
  isOwn: boolean
}

/** A longer text, in characters, would fill the storage that all tabs share. It is kept in memory only. */
const maxLength = 1_500_000
const maxAge = 30 * 24 * 3600 * 1000

const index = personalItem('unsaved-texts')
const bodyOf = ({ tab, path }: Pick<KeptText, 'tab' | 'path'>) => personalItem(`unsaved-text.${tab}.${path}`)
/** Texts that the storage has no room for. They last as long as the page. */
const inMemory = new Map<string, UnsavedText & KeptText>()
const changes = new EventTarget()

onPersonLeft(() => inMemory.clear())

askedAtSignOut(() => {
  const userId = currentSession()?.user.id
  const names = userId === undefined ? [] : keptTexts(userId).map(({ path }) => nameOf(path))
  return names.length === 0 ? null : t('editor.keptNames', { names: [...new Set(names)].join(', ') })
})

/** A tab has the same one after a reload, and after the browser has ended and restored it. */
function currentTab(): string {
  const stored = tabItem.read()
  if (stored !== null) return stored
  try {
    tabItem.write(newTab)
  } catch {
    // Without room for it the tab is a new one after each reload.
  }
  return newTab
}

const tabItem = personalItem('tab', () => sessionStorage)
const newTab = String(Math.random()).slice(2)

/** Replaces what this tab has kept of the file. */
export function keepText({ userId, path, address, version, lines }: UnsavedText): void {
  write({ tab: currentTab(), userId, path, address, at: Date.now() }, { version, lines })
}

type Body = Pick<UnsavedText, 'version' | 'lines'>

function write(entry: KeptText, { version, lines }: Body): void {
  try {
    if (lengthOf(lines) > maxLength) throw new RangeError('The text is too long')
    bodyOf(entry).write(JSON.stringify({ version, lines }))
    writeIndex([...readIndex().filter((other) => !isSame(other, entry)), entry])
    inMemory.delete(keyOf(entry))
  } catch {
    // An older state of the text stays in the storage: better than nothing if the page goes.
    inMemory.set(keyOf(entry), { ...entry, version, lines })
  }
  changes.dispatchEvent(new Event('change'))
}

const lengthOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 3, 0)

/** The text that this tab has kept of a file, else the newest of another tab or of one that is closed. */
export function findText(userId: number, path: string): StoredText | null {
  const found = keptTexts(userId).filter((entry) => entry.path === path)
  const own = found.find(({ tab }) => tab === currentTab())
  const entry = own ?? found[0]
  if (entry === undefined) return null
  const body = read(entry)
  if (body === null) {
    forget([entry])
    return null
  }
  return { ...entry, version: body.version, lines: body.lines, isOwn: own !== undefined }
}

const read = (entry: KeptText): Body | null => inMemory.get(keyOf(entry)) ?? JSON.parse(bodyOf(entry).read() ?? 'null')

/** The texts of a person, newest first. */
export function keptTexts(userId: number): KeptText[] {
  const isOwn = (entry: KeptText) => entry.userId === userId
  return allEntries()
    .filter(isOwn)
    .toSorted((a, b) => b.at - a.at)
}

/** The same for components. */
export function useKeptTexts(userId: number): KeptText[] {
  const written = useSyncExternalStore(subscribe, () => JSON.stringify(keptTexts(userId)))
  return JSON.parse(written)
}

function subscribe(listener: () => void): () => void {
  changes.addEventListener('change', listener)
  addEventListener('storage', listener)
  return () => {
    changes.removeEventListener('change', listener)
    removeEventListener('storage', listener)
  }
}

export const forgetText = (entry: Pick<KeptText, 'tab' | 'path'>): void =>
  forget(allEntries().filter((other) => isSame(other, entry)))

/** This tab's text of the file is saved or given up. */
export const forgetOwnText = (path: string): void => forgetText({ tab: currentTab(), path })

/** What was deleted takes its texts along: a new file of that name is another file. */
export const forgetTextsOf = (paths: readonly string[]): void =>
  forget(allEntries().filter((entry) => paths.some((path) => isInside(entry.path, path))))

/** Files and folders have another path: the texts of the files, and of the files inside, go with them. */
export function moveTexts(moves: readonly { from: string; to: string }[]): void {
  for (const entry of allEntries()) {
    const move = moves.find(({ from }) => isInside(entry.path, from))
    const body = move && read(entry)
    if (move === undefined || body === null || body === undefined) continue
    const path = move.to + entry.path.slice(move.from.length)
    const [, query = ''] = entry.address.split(/(?=\?)/)
    // First away with the old one: there may be no room for two.
    forget([entry])
    write({ ...entry, path, address: `/files${encodePath(path)}${query}` }, body)
  }
}

/** Texts of another person, left by a tab that heard of the change too late, and texts that are too old. */
export const forgetStaleTexts = (userId: number): void =>
  forget(allEntries().filter((entry) => entry.userId !== userId || Date.now() - entry.at > maxAge))

function forget(entries: readonly KeptText[]): void {
  if (entries.length === 0) return
  const keys = new Set(entries.map(keyOf))
  for (const entry of entries) {
    bodyOf(entry).remove()
    inMemory.delete(keyOf(entry))
  }
  const rest = readIndex().filter((entry) => !keys.has(keyOf(entry)))
  if (rest.length === 0) index.remove()
  else writeIndex(rest)
  changes.dispatchEvent(new Event('change'))
}

function allEntries(): KeptText[] {
  const unwritten = [...inMemory.values()].map(({ version: _, lines: __, ...entry }) => entry)
  return [...readIndex().filter((entry) => !inMemory.has(keyOf(entry))), ...unwritten]
}

/** A list that cannot be read is none: it must not keep the files from being shown. */
function readIndex(): KeptText[] {
  try {
    return JSON.parse(index.read() ?? '[]')
  } catch {
    return []
  }
}

const writeIndex = (entries: readonly KeptText[]): void => index.write(JSON.stringify(entries))

const keyOf = ({ tab, path }: Pick<KeptText, 'tab' | 'path'>): string => `${tab} ${path}`
const isSame = (one: Pick<KeptText, 'tab' | 'path'>, other: Pick<KeptText, 'tab' | 'path'>): boolean =>
  keyOf(one) === keyOf(other)

const endings = perSession((scope) => {
  const listeners = new Set<(ending: Ending) => void>()
  scope.onEnd((ending) => {
    for (const listener of listeners) listener(ending)
  })
  return listeners
})

/** Calls the listener when the present session ends. Answers how to stop that. */
export function onSessionEnd(listener: (ending: Ending) => void): () => void {
  const listeners = endings()
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
