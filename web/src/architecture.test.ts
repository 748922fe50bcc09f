import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'

/** Everything not allowed here is a wall. A feature may import from itself and from what lies below it. */
const below = ['actions', 'forms', 'prompts', 'place', 'api', 'navigation', 'ui', 'i18n']
const rooms: Record<string, readonly string[]> = {
  app: ['screens', 'features', ...below],
  screens: ['features', ...below],
  features: below,
  actions: ['prompts', 'place', 'api', 'ui', 'i18n'],
  forms: ['prompts', 'api', 'navigation', 'ui', 'i18n'],
  prompts: ['ui', 'i18n'],
  place: ['api'],
  navigation: ['api'],
  api: ['ui', 'i18n'],
  ui: [],
  i18n: [],
}

const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !file.includes('.test.') && file.includes('/'),
)

test('rooms import only what lies below them', () => {
  const breaches = sources.flatMap((file) => importsOf(file).filter((imported) => !mayImport(file, imported)))
  expect(breaches).toEqual([])
})

test('a feature does not know another feature', () => {
  const breaches = sources.flatMap((file) => {
    const own = /^features\/[^/]+\//.exec(file)?.[0]
    if (own === undefined) return []
    return importsOf(file).filter((imported) => imported.startsWith('features/') && !imported.startsWith(own))
  })
  expect(breaches).toEqual([])
})

test('the schema library stays out of the browser', () => {
  expect(sources.filter((file) => /from 'zod'/.test(read(file)))).toEqual([])
})

function mayImport(file: string, imported: string): boolean {
  const from = file.split('/')[0] ?? ''
  const to = imported.split('/')[0] ?? ''
  return from === to || (rooms[from]?.includes(to) ?? false)
}

/** Relative imports, as paths from here. */
function importsOf(file: string): string[] {
  const found = read(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)'/g)
  return [...found].map(([, path = '']) => new URL(path, `file:///${file}`).pathname.slice(1))
}

function read(file: string): string {
  return readFileSync(`${import.meta.dirname}/${file}`, 'utf8')
}
