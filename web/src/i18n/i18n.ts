import i18next, { type ParseKeys } from 'i18next'
import { initReactI18next } from 'react-i18next'
import en from './en.json'
import { writtenHere } from './icelandic.ts'
import { directionOf, localeOf, regionalTag, tagOf } from './locales.ts'
import { inSentence } from './placeholders.ts'
import { fillForms } from './plural-forms.ts'

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation'
    resources: { translation: typeof en }
    returnNull: false
  }
}

/** Every text of the client has a key, and a key that does not exist does not compile. */
export type TextKey = ParseKeys

let locale = 'en'
let tag = 'en'

void i18next
  .use(initReactI18next)
  .use({ type: 'formatter', init() {}, format: (value: unknown) => inSentence(value, tag, directionOf(locale)) })
  .init({
    lng: 'en',
    fallbackLng: 'en',
    // European Portuguese is no fallback for the Brazilian one, nor the other way round.
    load: 'currentOnly',
    resources: { en: { translation: en } },
    interpolation: { escapeValue: false, alwaysFormat: true },
    // The languages are loaded by us, one file each, when somebody wants to read them.
    partialBundledLanguages: true,
  })

export const t = i18next.t.bind(i18next)

/** The tag for Intl: the language that is spoken, as it is written where the browser is at home. */
export const currentTag = (): string => tag

let lastWanted: string

/**
 * Shows everything in this language. One that nobody knows is taken for the browser's, and one whose texts cannot be
 * had is English: a page in the wrong language is better than none.
 */
export async function speak(stored: string): Promise<void> {
  const wanted = spokenLocale(stored)
  lastWanted = wanted
  const isHeld = await load(wanted)
  // Somebody may have changed their mind while the texts were on their way.
  if (wanted !== lastWanted) return
  locale = isHeld ? wanted : 'en'
  tag = writtenHere(regionalTag(locale, navigator.languages))
  document.documentElement.lang = tagOf(locale)
  document.documentElement.dir = directionOf(locale)
  await i18next.changeLanguage(tagOf(locale))
}

/** The language of a stored setting; where it says nothing that we know, the browser's. */
export const spokenLocale = (stored: string): string => localeOf([stored, ...navigator.languages])

/** What the browser would like to read, for those who have not signed in. */
export const browserLocale = (): string => localeOf(navigator.languages)

async function load(wanted: string): Promise<boolean> {
  const name = tagOf(wanted)
  if (i18next.hasResourceBundle(name, 'translation')) return true
  try {
    const texts: { default: object } = await import(`./${wanted}.json`)
    i18next.addResourceBundle(name, 'translation', fillForms(texts.default, name))
    return true
  } catch {
    return false
  }
}
