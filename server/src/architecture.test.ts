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
  ...['files', 'subtitles', 'archives', 'sessions', 'users', 'settings', 'hooks'],
  'changes',
  'access',
  'mounts',
  'config',
  'nodes',
  'programs',
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
const floorsOfStorage = ['testing', 'threads', 'disk', 'linux', '.']

/** The floors inside of database/: what chooses an adapter, the adapter, the migrations, the port. */
const floorsOfDatabase = ['open.ts', 'sqlite', 'migrations', '.']

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
const partOf = (file: string): string => (file.split('/').length > 2 ? (file.split('/')[1] ?? '.') : '.')
const partOfDatabase = (file: string): string => (file === 'database/open.ts' ? 'open.ts' : partOf(file))

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
  expect(inside.filter(upwards(floorsOfStorage, partOf))).toEqual([])
})

test('inside of database/ the adapter stands on the migrations, and both on the port', () => {
  const inside = imports.filter(({ from, to }) => folderOf(from) === 'database' && folderOf(to) === 'database')
  expect(inside.filter(upwards(floorsOfDatabase, partOfDatabase))).toEqual([])
  expect(inside.length).toBeGreaterThan(20)
})

test('only tests import what is made for tests', () => {
  expect(imports.filter(({ from, to }) => /\/testing\//.test(to) && !/\/testing\//.test(from))).toEqual([])
})

const walls = [
  {
    why: 'in a room only routes and answers know HTTP',
    of: `^(?!api|client)(${rooms().join('|')})/(?!routes|answer)`,
    never: /from '\.\.\/http\/(request|router|answers|body|input|returns|stream|downloads|compress|stream-slot)/,
  },
  {
    why: 'what comes with a request is read by the schemas of its route',
    of: `^(${rooms().join('|')})/`,
    never: /import \{[^}]*\} from '(\.\.\/)+http\/body|request\.(json|text|formData|bytes|arrayBuffer)\(|\.rawQuery/,
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
    of: '^(?!storage/|cli/serve/start-errors)',
    never: /'E(NOENT|EXIST|ACCES|PERM|NOSPC|ISDIR|NOTDIR)'/,
  },
  {
    why: 'what an account changes in a storage goes through changes/',
    of: '^(?!changes/|access/scope)',
    never: /scope\.(write|rename|copy|remove|createFolder)\(/,
  },
  { why: 'only its adapter knows SQLite', of: '^(?!database/sqlite/)', never: /'bun:sqlite'|sqliteOf|\bpragma\b/ },
  {
    why: 'every transaction states its isolation',
    of: '^(?!database/port\\.ts)',
    never: /\.transaction\(\)/,
  },
  { why: 'a file is never copied by the runtime onto a file', of: '', never: /Bun\.write\(/ },
  {
    why: 'the image library is loaded in the decoder, which is another process',
    of: '^(?!previews/decoder/)',
    never: /(from|import\()\s*'(sharp|\.\/decoder\/resize)/,
  },
  {
    why: 'processes are started in programs/ alone',
    of: '^(?!programs/)',
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
