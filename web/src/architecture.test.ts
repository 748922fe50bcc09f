import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'

/** Everything not allowed here is a wall. A feature may import from itself and from what lies below it. */
const below = ['actions', 'forms', 'prompts', 'place', 'api', 'navigation', 'ui', 'state', 'i18n']
const rooms: Record<string, readonly string[]> = {
  app: ['screens', 'features', ...below],
  screens: ['features', ...below],
  features: below,
  actions: ['prompts', 'place', 'api', 'ui', 'state', 'i18n'],
  forms: ['prompts', 'api', 'navigation', 'ui', 'i18n'],
  prompts: ['ui', 'state', 'i18n'],
  place: ['api', 'state'],
  navigation: ['api', 'state'],
  api: ['ui', 'state', 'i18n'],
  ui: ['state'],
  state: [],
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
  const contract = new URL('../../contract/src/', import.meta.url)
  const withSchemas = readdirSync(contract).filter((file) =>
    /from 'zod'/.test(readFileSync(new URL(file, contract), 'utf8')),
  )
  const heavy = withSchemas.flatMap((file) =>
    [...readFileSync(new URL(file, contract), 'utf8').matchAll(/export (?:const|function) (\w+)/g)].map(
      ([, name]) => name,
    ),
  )
  const breaches = sources.flatMap((file) =>
    valuesFrom('@filestead/contract', file).filter((name) => heavy.includes(name)),
  )
  expect(heavy.length).toBeGreaterThan(0)
  expect(breaches).toEqual([])
})

/** The names a file imports from a package to use, types left aside. */
function valuesFrom(name: string, file: string): string[] {
  const found = read(file).matchAll(new RegExp(`import \\{([^}]*)\\} from '${name}'`, 'g'))
  return [...found]
    .flatMap(([, names = '']) => names.split(',').map((part) => part.trim()))
    .filter((part) => !/^type |^$/.test(part))
}

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
