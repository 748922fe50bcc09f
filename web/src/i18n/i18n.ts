import i18next, { type ParseKeys } from 'i18next'
import { initReactI18next } from 'react-i18next'
import en from './en.json'
import { directionOf, localeOf, tagOf } from './locales.ts'

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation'
    resources: { translation: typeof en }
    returnNull: false
  }
}

/** Every text of the client has a key, and a key that does not exist does not compile. */
export type TextKey = ParseKeys

const files = import.meta.glob<{ default: object }>(['./*.json', '!./en.json'])

void i18next.use(initReactI18next).init({
  lng: 'en',
  fallbackLng: 'en',
  resources: { en: { translation: en } },
  interpolation: { escapeValue: false },
  // The languages are loaded by us, one file each, when somebody wants to read them.
  partialBundledLanguages: true,
})

export const t = i18next.t.bind(i18next)

/** The tag for Intl, such as 'pt-BR'. */
export const currentTag = (): string => tagOf(i18next.language)

/** Shows everything in this language, or in English where it cannot be had. Unknown ones are matched as browsers do. */
export async function speak(wanted: string): Promise<void> {
  const locale = localeOf([wanted])
  const load = files[`./${locale}.json`]
  if (locale !== 'en' && load !== undefined && !i18next.hasResourceBundle(locale, 'translation')) {
    const texts = await load()
    i18next.addResourceBundle(locale, 'translation', texts.default)
  }
  await i18next.changeLanguage(locale)
  document.documentElement.lang = tagOf(locale)
  document.documentElement.dir = directionOf(locale)
}

/** What the browser would like to read, for those who have not signed in. */
export const browserLocale = (): string => localeOf(navigator.languages)
