import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'

/** From the top down: a room imports only rooms further down, so that there is no circle. */
const rooms = [
  'app',
  'public-share',
  'settings',
  'auth',
  'files',
  'settings/takeover',
  'settings/users',
  'settings/groups',
  'settings/mounts',
  'settings/profile',
  'settings/shares',
  'settings/global',
  'settings/access',
  'files/trash',
  'files/results',
  'files/browse',
  'files/search',
  'files/upload',
  'files/sharing',
  'files/history',
  'files/details',
  'files/rights',
  'files/viewers',
  'files/editor',
  'files/archives',
  'files/download',
  'files/operations',
  'files/tree',
  'files/grid',
  'files/marks',
  'files/formats',
  'settings/forms',
  'shell',
  'activity',
  'commands',
  'errors',
  'navigation',
  'workspace',
  'dialogs',
  'server/live',
  'server/operations',
  'server/queries',
  'server',
  'ui',
  'state',
  'i18n',
]

const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !/\.test[.-]/.test(file) && file.includes('/'),
)

/** The innermost room of the list that holds the file. */
const roomOf = (file: string): number => {
  const [first, second] = file.split('/')
  const inner = rooms.indexOf(`${first}/${second}`)
  return inner === -1 ? rooms.indexOf(first ?? '') : inner
}

test('every file is in a room of the list', () => {
  expect(sources.filter((file) => roomOf(file) === -1)).toEqual([])
})

test('rooms import only what lies below them', () => {
  const breaches = sources.flatMap((file) =>
    importsOf(file)
      .filter((imported) => imported.includes('/') && roomOf(imported) < roomOf(file))
      .map((imported) => `${file} imports ${imported}`),
  )
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
  'activity/answers.ts askAbout',
  'activity/notices.ts notices',
  'commands/registry.ts commands',
  'commands/registry.ts loadRest',
  'server/client.ts authentication',
  'server/connection.ts asking',
  'server/connection.ts waiting',
  'server/session.ts session',
  'server/session.ts renewal',
  'server/session.ts reauthentication',
  'server/session.ts hasOtherAddress',
  'app/log-out.tsx isLeaving',
  'files/grid/list-order.ts saving',
  'files/browse/one-tap.ts chosen',
  'files/browse/view-options.ts chosenDensity',
  'files/browse/view-options.ts hiddenColumns',
  'files/details/details.ts isOpen',
  'files/search/commands.ts loadEntries',
  'files/editor/byte-tables.ts tables',
  'files/grid/dragging.ts dragging',
  'files/grid/use-gallery.ts loaded',
  'files/viewers/table/worker.ts table',
  'files/upload/prepare.ts lastId',
  'files/upload/kept-database.ts database',
  'files/upload/pages.ts isMarked',
  // Held by mounted components, which end with the session.
  'navigation/unsaved-changes.ts holders',
  'navigation/unsaved-changes.ts removeGuard',
  'navigation/location.ts guards',
  'i18n/format.ts made',
  'i18n/relative-time.ts listeners',
  'i18n/relative-time.ts timer',
  'i18n/i18n.ts lastWanted',
  'i18n/i18n.ts listeners',
  'i18n/i18n.ts loaded',
  'i18n/i18n.ts loading',
  'i18n/i18n.ts locale',
  'i18n/i18n.ts needed',
  'i18n/i18n.ts shown',
  'i18n/i18n.ts tag',
  'i18n/icelandic.ts times',
  'i18n/placeholders.ts numbers',
  'navigation/location.ts address',
  'navigation/location.ts depth',
  'navigation/location.ts isPopped',
  'navigation/location.ts isAllowed',
  'navigation/location.ts isAsking',
  'navigation/location.ts isStepAsked',
  'navigation/location.ts returning',
  'navigation/return-to.ts returning',
  // Each text has its user, and is shown to no other.
  'workspace/unsaved-text.ts inMemory',
  'state/personal-storage.ts removals',
  // Set by each session that begins.
  'state/personal-storage.ts isShut',
  'state/session-scope.ts current',
  // Reset by a part of the session.
  'state/work.ts telling',
  'state/work.ts holders',
  'ui/theme.ts chosen',
  'ui/toasts.ts lastId',
]

test('whatever a module remembers ends with the session, unless it belongs to the page', () => {
  const remembered = sources.flatMap((file) => {
    const found = read(file).matchAll(
      /^(?:export )?(?:let (\w+)|const (\w+)\b(?!: Readonly)[^=]*= (?:createStore[<(]|new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\)))/gm,
    )
    return [...found].map(([, variable, constant]) => `${file} ${variable ?? constant}`)
  })
  expect(remembered.toSorted()).toEqual(ofThePage.toSorted())
})

/** Settings of the device, the token, and what is kept for a person by its one keeper. */
const storing = [
  'server/session.ts',
  'activity/notices.ts',
  'app/Shell.tsx',
  'files/browse/one-tap.ts',
  'files/browse/view-options.ts',
  'files/details/details.ts',
  'files/download/FormatDialog.tsx',
  'files/editor/font-size.ts',
  'files/viewers/epub/BookViewer.tsx',
  'files/viewers/playback.ts',
  'files/tree/SidebarResizer.tsx',
  'files/upload/kept-database.ts',
  'files/upload/pages.ts',
  'workspace/unsaved-text.ts',
  'state/personal-storage.ts',
  'state/work.ts',
]

test('what the browser keeps for a person is kept in one place, from where it is removed', () => {
  const found = sources.filter((file) => /\b(localStorage|sessionStorage|indexedDB|caches)\b/.test(read(file)))
  expect(found.toSorted()).toEqual(storing.toSorted())
})

test('a full storage is expected wherever something is kept: the token alone cannot be done without', () => {
  const found = sources.filter((file) => /Storage\.setItem\(/.test(read(file)))
  expect(found).toEqual(['server/session.ts'])
})

test('no part waits in the fallback of React, which stays for 300 ms; see ui/lazy-part.tsx', () => {
  const found = sources.filter((file) => valuesFrom('react', file).some((name) => /^(lazy|Suspense)$/.test(name)))
  // Around what is loaded before it is shown.
  expect(found.toSorted()).toEqual(['dialogs/DialogStack.tsx', 'settings/SettingsScreen.tsx'])
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

/** Relative imports, as paths from here. */
function importsOf(file: string): string[] {
  const found = read(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)'/g)
  return [...found].map(([, path = '']) => new URL(path, `file:///${file}`).pathname.slice(1))
}

function read(file: string): string {
  return readFileSync(`${import.meta.dirname}/${file}`, 'utf8')
}
