import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { type TextSet, textSets, textsOf } from '../src/i18n/text-sets.ts'

const folder = join(import.meta.dirname, '../src/i18n')
const sets = Object.keys(textSets) as TextSet[]

/** A file for each set of texts of each language, fetched by name from a folder whose name changes with the texts. */
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .flatMap((name) => {
    const texts = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    return sets.map((set) => ({
      name: name.replace(/json$/, `${set}.json`),
      source: JSON.stringify(textsOf(set, texts)),
    }))
  })

const hash = createHash('sha256').update(JSON.stringify(files)).digest('base64url').slice(0, 8)
const textsFolder = `texts-${hash}`

export const englishTexts = (set: TextSet): string => `assets/${textsFolder}/en.${set}.json`

export function texts(): Plugin {
  return {
    name: 'texts',
    apply: 'build',
    config: () => ({ define: { textsFolder: JSON.stringify(textsFolder) } }),
    generateBundle() {
      for (const { name, source } of files)
        this.emitFile({ type: 'asset', fileName: `assets/${textsFolder}/${name}`, source })
    },
  }
}
