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

/** State of the page itself, or of the device: nothing in it was done by, or shown to, a person. */
const ofThePage = [
  'actions/registry.ts actions',
  'api/client.ts gate',
  'api/line.ts asking',
  'api/line.ts waiting',
  'api/session.ts session',
  'api/session.ts renewal',
  'api/session.ts entering',
  'api/session.ts hasOtherAddress',
  'app/Sidebar.tsx isLeaving',
  'features/browse/density.ts chosen',
  'features/browse/sort-folder.ts saving',
  'features/edit/byte-tables.ts tables',
  'features/preview/table/worker.ts table',
  'features/upload/begin-upload.ts lastId',
  'features/upload/kept-database.ts database',
  // Ids, and promises of handles that lead nowhere without them.
  'features/upload/kept.ts handleIds',
  'features/upload/kept.ts over',
  'features/upload/kept.ts toForget',
  'features/upload/kept.ts writing',
  'features/upload/kept.ts written',
  'features/upload/pages.ts isKnownAlive',
  'features/upload/send.ts pieceSize',
  // Held by mounted components, which end with the session.
  'forms/unsaved.ts holders',
  'forms/unsaved.ts takeGuardAway',
  'navigation/location.ts guards',
  'i18n/format.ts made',
  'i18n/i18n.ts lastWanted',
  'i18n/i18n.ts locale',
  'i18n/i18n.ts tag',
  'i18n/placeholders.ts numbers',
  'navigation/location.ts address',
  'navigation/location.ts depth',
  'navigation/location.ts isPopped',
  'navigation/location.ts own',
  // Tagged with its user, and handed to nobody else.
  'place/unsaved-text.ts large',
  'state/personal-storage.ts removals',
  'state/session-scope.ts number',
  'state/session-scope.ts resets',
  'state/session-scope.ts scope',
  'state/work.ts telling',
  'state/work.ts holders',
  'ui/theme.ts chosen',
  'ui/toasts.ts lastId',
]

test('whatever a module remembers ends with the session, unless it belongs to the page', () => {
  const remembered = sources
    .filter((file) => !/\bonSessionEnd\(/.test(read(file)) || file.startsWith('state/'))
    .flatMap((file) => {
      const found = read(file).matchAll(
        /^(?:export )?(?:let (\w+)|const (\w+)\b(?!: Readonly)[^=]*= (?:watched[<(]|new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\)))/gm,
      )
      return [...found].map(([, variable, constant]) => `${file} ${variable ?? constant}`)
    })
  expect(remembered.toSorted()).toEqual(ofThePage.toSorted())
})

/** Settings of the device, the token, and what is kept for a person by its one keeper. */
const storing = [
  'api/session.ts',
  'app/Shell.tsx',
  'features/browse/density.ts',
  'features/download/FormatPrompt.tsx',
  'features/edit/font-size.ts',
  'features/preview/epub/BookViewer.tsx',
  'features/preview/playback.ts',
  'features/upload/kept-database.ts',
  'features/upload/pages.ts',
  'place/unsaved-text.ts',
  'state/personal-storage.ts',
  'state/work.ts',
]

test('what the browser keeps for a person is kept in one place, from where it is removed', () => {
  const found = sources.filter((file) => /\b(localStorage|sessionStorage|indexedDB|caches)\b/.test(read(file)))
  expect(found.toSorted()).toEqual(storing)
})

test('lists of any length are not spread into arguments', () => {
  const breaches = sources.flatMap((file) =>
    [...read(file).matchAll(/\.(?:push|unshift|splice)\(.*\.\.\.|Math\.(?:max|min)\(\.\.\.|\.apply\(/g)].map(
      ([text]) => `${file} ${text}`,
    ),
  )
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
