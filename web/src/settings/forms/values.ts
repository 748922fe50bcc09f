import { localeOf } from '../../i18n/locales.ts'

/** Between the texts of fields and the values on the wire. */

/** 'git  rsync ' are two words. */
export const wordsIn = (text: string): string[] => text.split(' ').filter(Boolean)

/** One command per line; empty lines are none. */
export const linesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** Old settings may hold the name of a language that has another one today. */
export const offeredLocale = (stored: string): string => localeOf([stored])
