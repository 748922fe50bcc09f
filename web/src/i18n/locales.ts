/** The languages that there are texts in, in the order of their names (language-names.ts). */
export const localeIds = [
  'ar',
  'bg',
  'ca',
  'cs',
  'de',
  'el',
  'en',
  'es',
  'fr',
  'he',
  'hr',
  'hu',
  'is',
  'it',
  'ja',
  'ko',
  'lv',
  'nl',
  'nl-be',
  'no',
  'pl',
  'pt',
  'pt-br',
  'ro',
  'ru',
  'sk',
  'sv-se',
  'tr',
  'uk',
  'vi',
  'zh-cn',
  'zh-tw',
] as const

const ids = new Set<string>(localeIds)

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

/** For dates and numbers: English in a British browser has the day before the month. */
export function regionalTag(locale: string, wanted: readonly string[]): string {
  const tag = tagOf(locale)
  const [language] = tag.split('-')
  return wanted.find((name) => localeOf([name]) === locale && name.split('-')[0] === language) ?? tag
}

export const directionOf = (locale: string): 'ltr' | 'rtl' => (locale === 'ar' || locale === 'he' ? 'rtl' : 'ltr')
