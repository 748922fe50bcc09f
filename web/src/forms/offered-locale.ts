import { localeOf } from '../i18n/locales.ts'

/** Old settings may hold a name that is filed under another one today. */
export const offeredLocale = (stored: string): string => localeOf([stored])
