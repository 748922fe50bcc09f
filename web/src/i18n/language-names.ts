import { localeIds } from './locales.ts'

/** Only the settings show them: apart from the ids, which every page needs. */
const names: Record<(typeof localeIds)[number], string> = {
  ar: 'العربية',
  bg: 'Български',
  ca: 'Català',
  cs: 'Čeština',
  de: 'Deutsch',
  el: 'Ελληνικά',
  en: 'English',
  es: 'Español',
  fr: 'Français',
  he: 'עברית',
  hr: 'Hrvatski',
  hu: 'Magyar',
  is: 'Íslenska',
  it: 'Italiano',
  ja: '日本語',
  ko: '한국어',
  lv: 'Latviešu',
  nl: 'Nederlands',
  'nl-be': 'Nederlands (België)',
  no: 'Norsk',
  pl: 'Polski',
  pt: 'Português',
  'pt-br': 'Português (Brasil)',
  ro: 'Română',
  ru: 'Русский',
  sk: 'Slovenčina',
  'sv-se': 'Svenska',
  tr: 'Türkçe',
  uk: 'Українська',
  vi: 'Tiếng Việt',
  'zh-cn': '中文（简体）',
  'zh-tw': '中文（繁體）',
}

/** The languages to choose from, each in its own words. */
export const locales = localeIds.map((id) => ({ id, name: names[id] }))
