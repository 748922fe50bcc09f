import { localeOf, locales } from '../i18n/locales.ts'

/** For a select: every language in its own words. */
export const languageOptions = locales.map(({ id, name }) => ({ value: id, label: name }))

/** Old settings may hold a name that is filed under another one today. */
export const offeredLocale = (stored: string): string => localeOf([stored])
