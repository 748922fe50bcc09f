import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** From the top down. A folder imports what stands below it, types included, and never what stands above. */
const floors = [
  'main.ts',
  'cli',
  'app.ts',
  'process',
  'doors',
  // The rooms.
  ...['api', 'client', 'doctor', 'takeover', 'backups', 'metrics', 'health', 'search', 'previews', 'shares', 'uploads'],
  ...['files', 'archives', 'sessions', 'users', 'settings', 'hooks'],
  'changes',
  'access',
  'mounts',
  'config',
  'nodes',
  'storage',
  'database',
  'http',
  'log',
  'concurrency',
  'parts.ts',
  'clock.ts',
  'version.ts',
  'failure.ts',
]

/** The floors inside of storage/: what tests need, the adapter, the system calls, the port. */
const floorsOfStorage = ['testing', 'disk', 'linux', '.']

const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(join(import.meta.dirname, file), 'utf8') }))

interface Import {
  from: string
  to: string
}

const imports: Import[] = sources
  .flatMap(({ file, text }) =>
    [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, specifier = '']) => ({
      from: file,
      to: relative(import.meta.dirname, join(import.meta.dirname, dirname(file), specifier)),
    })),
  )
  .filter(({ to }) => !to.startsWith('..'))

const folderOf = (file: string): string => file.split('/')[0] ?? file
const partOfStorage = (file: string): string => (file.split('/').length > 2 ? (file.split('/')[1] ?? '.') : '.')

const upwards = (order: readonly string[], nameOf: (file: string) => string) => (edge: Import) =>
  order.indexOf(nameOf(edge.from)) > order.indexOf(nameOf(edge.to))

test('every folder has its floor', () => {
  const folders = new Set(sources.map(({ file }) => folderOf(file)))
  expect([...folders].filter((folder) => !floors.includes(folder))).toEqual([])
  expect(sources.length).toBeGreaterThan(200)
  expect(imports.length).toBeGreaterThan(1000)
})

test('no folder imports one that stands above it', () => {
  expect(imports.filter(upwards(floors, folderOf))).toEqual([])
})

test('inside of storage/ the adapter stands on the system calls, and both on the port', () => {
  const inside = imports.filter(({ from, to }) => folderOf(from) === 'storage' && folderOf(to) === 'storage')
  expect(inside.filter(upwards(floorsOfStorage, partOfStorage))).toEqual([])
})

test('only tests import what is made for tests', () => {
  expect(imports.filter(({ from, to }) => /\/testing\//.test(to) && !/\/testing\//.test(from))).toEqual([])
})

const walls = [
  {
    why: 'in a room only routes and answers know HTTP',
    of: `^(?!api|client)(${rooms().join('|')})/(?!routes|answer)`,
    never: /from '\.\.\/http\/(request|router|answers|body|downloads|compress|lasting)/,
  },
  { why: 'routes reach bytes and rows through the domain', of: 'routes\\.ts$', never: /from '(node:fs|kysely)/ },
  {
    why: 'only the composition root chooses an adapter',
    of: '^(?!app\\.ts|storage/)',
    never: /storage\/(disk\/disk|testing\/memory)/,
  },
  { why: 'the environment is read once', of: '^(?!config/config\\.ts)', never: /process\.env/ },
  {
    why: 'queries live in store.ts, or in the ledger of the disk',
    of: '^(?!database/|.*store\\.ts|storage/disk/ledger\\.ts)',
    never: /\.(selectFrom|insertInto|updateTable|deleteFrom)\(/,
  },
  {
    why: 'status numbers live in http/, and in the answers of rooms',
    of: '^(?!http/|doors/report|.*/(routes|answer))',
    never: /\bstatus: \d|statusOf/,
  },
  {
    why: 'errnos live in storage/',
    of: '^(?!storage/|cli/reasons)',
    never: /'E(NOENT|EXIST|ACCES|PERM|NOSPC|ISDIR|NOTDIR)'/,
  },
  { why: 'a file is never copied by the runtime onto a file', of: '', never: /Bun\.write\(/ },
  {
    why: 'processes are started in hooks/ alone',
    of: '^(?!hooks/)',
    never: /Bun\.spawn|child_process/,
  },
]

test.each(walls)('$why', ({ of, never }) => {
  const breaches = sources.filter(({ file, text }) => new RegExp(of).test(file) && never.test(text))
  expect(breaches.map(({ file }) => file)).toEqual([])
})

function rooms(): string[] {
  return floors.slice(floors.indexOf('doors') + 1, floors.indexOf('changes'))
}
