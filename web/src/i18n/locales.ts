/** The languages to choose from, each in its own words, in the order of the list. */
export const locales = [
  { id: 'ar', name: 'العربية' },
  { id: 'bg', name: 'Български' },
  { id: 'ca', name: 'Català' },
  { id: 'cs', name: 'Čeština' },
  { id: 'de', name: 'Deutsch' },
  { id: 'el', name: 'Ελληνικά' },
  { id: 'en', name: 'English' },
  { id: 'es', name: 'Español' },
  { id: 'fr', name: 'Français' },
  { id: 'he', name: 'עברית' },
  { id: 'hr', name: 'Hrvatski' },
  { id: 'hu', name: 'Magyar' },
  { id: 'is', name: 'Íslenska' },
  { id: 'it', name: 'Italiano' },
  { id: 'ja', name: '日本語' },
  { id: 'ko', name: '한국어' },
  { id: 'lv', name: 'Latviešu' },
  { id: 'nl', name: 'Nederlands' },
  { id: 'nl-be', name: 'Nederlands (België)' },
  { id: 'no', name: 'Norsk' },
  { id: 'pl', name: 'Polski' },
  { id: 'pt', name: 'Português' },
  { id: 'pt-br', name: 'Português (Brasil)' },
  { id: 'ro', name: 'Română' },
  { id: 'ru', name: 'Русский' },
  { id: 'sk', name: 'Slovenčina' },
  { id: 'sv-se', name: 'Svenska' },
  { id: 'tr', name: 'Türkçe' },
  { id: 'uk', name: 'Українська' },
  { id: 'vi', name: 'Tiếng Việt' },
  { id: 'zh-cn', name: '中文（简体）' },
  { id: 'zh-tw', name: '中文（繁體）' },
] as const

const ids = new Set<string>(locales.map(({ id }) => id))

/** Names that browsers or old settings use for languages that we file under another one. */
const otherNames: Record<string, string> = {
  nb: 'no',
  nn: 'no',
  sv: 'sv-se',
  zh: 'zh-cn',
  'zh-hant': 'zh-tw',
  'zh-hk': 'zh-tw',
  'zh-mo': 'zh-tw',
  'zh-hans': 'zh-cn',
  'zh-sg': 'zh-cn',
  'pt-pt': 'pt',
  iw: 'he',
  ua: 'uk',
  cz: 'cs',
}

/** The first of the wanted languages that we speak, by its whole name, then by ever shorter ones. */
export function localeOf(wanted: readonly string[]): string {
  for (const tag of wanted) {
    // Old settings also hold 'ptBR' and 'cz_cs'.
    const parts = tag
      .replace('_', '-')
      .replace(/^([a-z]{2})([A-Z]{2})$/, '$1-$2')
      .toLowerCase()
      .split('-')
    for (let length = parts.length; length > 0; length -= 1) {
      const name = parts.slice(0, length).join('-')
      const known = otherNames[name] ?? name
      if (ids.has(known)) return known
    }
  }
  return 'en'
}

/** For Intl and `html lang`: 'zh-tw' is written zh-TW, Norwegian is Bokmål, and Portuguese alone is Portugal's. */
export function tagOf(locale: string): string {
  if (locale === 'no') return 'nb'
  if (locale === 'pt') return 'pt-PT'
  const [language = 'en', region] = locale.split('-')
  return region === undefined ? language : `${language}-${region.toUpperCase()}`
}

/** For dates and numbers: whoever reads English in a British browser writes the day before the month. */
export function regionalTag(locale: string, wanted: readonly string[]): string {
  const tag = tagOf(locale)
  const [language] = tag.split('-')
  return wanted.find((name) => localeOf([name]) === locale && name.split('-')[0] === language) ?? tag
}

export const directionOf = (locale: string): 'ltr' | 'rtl' => (locale === 'ar' || locale === 'he' ? 'rtl' : 'ltr')
