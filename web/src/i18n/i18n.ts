import { createElement, Fragment, type ReactElement, type ReactNode, useSyncExternalStore } from 'react'
import { writtenHere } from './icelandic.ts'
import { directionOf, localeOf, regionalTag, tagOf } from './locales.ts'
import { type TextKey, type Translate, translator } from './translate.ts'

export type { TextKey } from './translate.ts'

/** The language that is shown. Replaced as a whole, so that components notice. */
interface Shown {
  t: Translate
  i18n: { language: string }
}

const loaded = new Map<string, object>()
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

let lastWanted: string

/**
 * Shows everything in this language, or in the browser's where it is not known. Where its texts do not come, the
 * present language stays, or English stands in; rejects where there are no texts at all.
 */
export async function switchLanguage(stored: string): Promise<void> {
  const wanted = supportedLocale(stored)
  lastWanted = wanted
  const held = await load(wanted).catch(() => standIn())
  // Another language may have been chosen while the texts were on their way.
  if (wanted !== lastWanted) return
  document.documentElement.lang = tagOf(held)
  document.documentElement.dir = directionOf(held)
  show(held, navigator.languages)
}

/** The language of a stored setting; where that is none of ours, the browser's. */
export const supportedLocale = (stored: string): string => localeOf([stored, ...navigator.languages])

/** The language that the browser asks for, for pages without a session. */
export const browserLocale = (): string => localeOf(navigator.languages)

const standIn = (): Promise<string> => (hasTexts() ? Promise.resolve(locale) : load('en'))

async function load(wanted: string): Promise<string> {
  if (!loaded.has(wanted)) {
    const texts: { default: object } = await import(`./${wanted}.json`)
    addTexts(wanted, texts.default)
  }
  return wanted
}

export function addTexts(of: string, texts: object): void {
  loaded.set(of, texts)
}

/** Shows a language whose texts are there, with numbers and dates of the first of these regions that speaks it. */
export function show(next: string, regions: readonly string[]): void {
  locale = next
  tag = writtenHere(regionalTag(locale, regions))
  const [texts = {}, plurals] = [loaded.get(locale), tagOf(locale)]
  shown = { t: translator({ texts, plurals, tag, direction: directionOf(locale) }), i18n: { language: plurals } }
  for (const listener of listeners) listener()
}
