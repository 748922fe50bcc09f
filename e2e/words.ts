import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { locales } from '../web/src/i18n/language-names.ts'

const folder = join(import.meta.dirname, '../web/src/i18n')

/** The languages with a file of texts. */
export const written = locales.map(({ id }) => id as string).filter((id) => existsSync(join(folder, `${id}.json`)))

/** The texts of a language, to find things on a page that speaks it. */
export function wordsOf(id: string): (key: string) => string {
  const texts = JSON.parse(readFileSync(join(folder, `${id}.json`), 'utf8'))
  return (key) => {
    const text = key.split('.').reduce((part, name) => part?.[name], texts)
    if (typeof text !== 'string') throw new Error(`${id} has no ${key}`)
    return text
  }
}
