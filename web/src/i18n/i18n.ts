import { createElement, Fragment, type ReactElement, type ReactNode, useSyncExternalStore } from 'react'
import { loadTimes, supportedTag } from './icelandic.ts'
import { directionOf, localeOf, regionalTag, tagOf } from './locales.ts'
import type { TextSet } from './text-sets.ts'
import { type TextKey, type Translate, translator } from './translate.ts'

export type { TextKey } from './translate.ts'

/** The language that is shown. Replaced as a whole, so that components notice. */
interface Shown {
  t: Translate
  i18n: { language: string }
}

/** The texts of each language that have come, by set. */
const loaded = new Map<string, Partial<Record<TextSet, object>>>()
const listeners = new Set<() => void>()
let locale = 'en'
let tag = 'en'
let shown: Shown = { t: translator({ texts: {}, plurals: 'en', tag, direction: 'ltr' }), i18n: { language: 'en' } }

export const t: Translate = (key, values) => shown.t(key, values)

/** For components, which render again in another language. */
export const useTranslation = (): Shown => useSyncExternalStore(subscribe, () => shown)

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** A text in which elements stand: `<names/>` is replaced by the component of that name. */
export function Trans({ i18nKey, components }: { i18nKey: TextKey; components: Record<string, ReactElement> }) {
  const { t } = useTranslation()
  const pieces = t(i18nKey).split(/<(\w+)\s*\/>/)
  return pieces.map((piece, index): ReactNode => {
    const element = index % 2 === 1 ? components[piece] : piece
    return createElement(Fragment, { key: index }, element)
  })
}

/** The tag for Intl: the language that is shown, as it is written in the region of the browser. */
export const currentTag = (): string => tag

/** Is there any language to show texts in? Until the first one has come, a text is its key. */
export const hasTexts = (): boolean => loaded.has(locale)

let lastWanted: string | undefined

/**
 * Shows everything in this language, or in the browser's where it is not known. Where its texts do not come, the
 * present language stays, or English stands in; rejects where there are no texts at all.
 */
export async function switchLanguage(stored: string): Promise<void> {
  lastWanted = supportedLocale(stored)
  await showWanted(lastWanted)
}

/** The sets that hold the texts of a set, in the order in which they are put together: see text-sets.ts. */
const holders: Record<TextSet, readonly TextSet[]> = {
  login: ['login', 'visit', 'files'],
  visit: ['visit', 'files'],
  files: ['files'],
  palette: ['palette'],
  editor: ['editor'],
  jobs: ['jobs'],
  rights: ['rights', 'settings'],
  archives: ['archives'],
  history: ['history'],
  trash: ['trash'],
  settings: ['settings'],
}
const order = Object.keys(holders) as TextSet[]
const needed = new Set<TextSet>()

/**
 * Loads these texts as well, in the language that is shown and in every later one. Resolves once they are shown, in the
 * present language or the next one.
 */
export async function needTexts(...sets: readonly TextSet[]): Promise<void> {
  for (const set of sets) needed.add(set)
  // The first language is loaded by the call that chooses it.
  while (lastWanted !== undefined && missingSets(locale).length > 0) await showWanted(lastWanted)
}

async function showWanted(wanted: string): Promise<void> {
  const held = await load(wanted).catch(() => standIn())
  // Another language may have been chosen while the texts were on their way. The present one is shown until that comes.
  if (wanted !== lastWanted && held !== locale) return
  document.documentElement.lang = tagOf(held)
  document.documentElement.dir = directionOf(held)
  show(held, navigator.languages)
}

/** The language of a stored setting; where that is none of ours, the browser's. */
export const supportedLocale = (stored: string): string => localeOf([stored, ...navigator.languages])

/** The language that the browser asks for, for pages without a session. */
export const browserLocale = (): string => localeOf(navigator.languages)

const standIn = (): Promise<string> =>
  hasTexts() && missingSets(locale).length === 0 ? Promise.resolve(locale) : load('en')

async function load(wanted: string): Promise<string> {
  await Promise.all([loadTimes(tagOf(wanted)), ...missingSets(wanted).map((set) => loadSet(wanted, set))])
  return wanted
}

function missingSets(of: string): TextSet[] {
  const has = loaded.get(of) ?? {}
  const isHeld = (set: TextSet) =>
    holders[set].some((holder) => has[holder] !== undefined || (holder !== set && needed.has(holder)))
  return order.filter((set) => needed.has(set) && !isHeld(set))
}

const loading = new Map<string, Promise<void>>()

function loadSet(of: string, set: TextSet): Promise<void> {
  const name = `${of}.${set}.json`
  const begun = loading.get(name)
  if (begun !== undefined) return begun
  const begins = fetchTexts(name)
    .then((texts) => addTexts(of, set, texts))
    .finally(() => loading.delete(name))
  loading.set(name, begins)
  return begins
}

/** The folder that build/texts.ts writes, beside the scripts. */
declare const textsFolder: string
const scripts = import.meta.url

/** Fetched and not imported: a module that failed to load stays failed in most browsers. */
async function fetchTexts(name: string): Promise<object> {
  try {
    const answer = await fetch(new URL(`./${textsFolder}/${name}`, scripts))
    if (answer.ok) return await answer.json()
  } catch {}
  // In the words of a module that is missing, which isMissingPart() knows.
  throw new Error(`Unable to preload the texts ${name}`)
}

export function addTexts(of: string, set: TextSet, texts: object): void {
  loaded.set(of, { ...loaded.get(of), [set]: texts })
}

/** Shows a language whose texts are there, with numbers and dates of the first of these regions that speaks it. */
export function show(next: string, regions: readonly string[]): void {
  locale = next
  tag = supportedTag(regionalTag(locale, regions))
  const texts = Object.assign({}, ...order.map((set) => loaded.get(locale)?.[set]))
  const plurals = tagOf(locale)
  shown = { t: translator({ texts, plurals, tag, direction: directionOf(locale) }), i18n: { language: plurals } }
  for (const listener of listeners) listener()
}
