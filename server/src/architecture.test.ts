import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

/** From the top down. A folder imports what stands below it, types included, and never what stands above. */
const floors = [
  'main.ts',
  'cli',
  'app',
  'served-folders.ts',
  'remote-servers.ts',
  'process',
  'doors',
  // The rooms.
  ...['api', 'client', 'doctor', 'takeover', 'backups', 'metrics', 'health', 'mounting', 'search', 'previews'],
  ...['history', 'events', 'shares', 'uploads'],
  ...[
    'favourites',
    'grants',
    'files',
    'subtitles',
    'archives',
    'jobs',
    'sessions',
    'groups',
    'users',
    'settings',
    'hooks',
  ],
  'changes',
  'access',
  'snapshots',
  'mounts',
  'config',
  'nodes',
  'programs',
  'storage',
  'entries',
  'database',
  'http',
  'log',
  'concurrency',
  'parts.ts',
  'clock.ts',
  'version.ts',
  'failure.ts',
  'lru-map.ts',
]

/** The floors inside of storage/: what tests need, the adapter, the system calls, the port. */
const floorsOfStorage = ['testing', 'threads', 'disk', 'sftp', 's3', 'linux', 'remote', 'between', '.']

/** The floors inside of database/: what chooses an adapter, the adapter, the migrations, the port. */
const floorsOfDatabase = ['open.ts', 'sqlite', 'postgres', 'migrations', '.']

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

/** Without types, which are gone at run time. */
const loads = (file: string, text: string): string[] =>
  [...text.matchAll(/^(?:import|export) (?!type )([^;']*?) from '(\.[^']+)'/gm)]
    .filter(([, names = '']) => !/^\{(\s*type [^,}]+,?)+\s*\}$/.test(names))
    .map(([, , specifier = '']) => relative(import.meta.dirname, join(import.meta.dirname, dirname(file), specifier)))

test('at most twelve files are in circles of imports', () => {
  const graph = new Map(sources.map(({ file, text }) => [file, loads(file, text)]))
  const reached = (start: string): Set<string> => {
    const seen = new Set<string>()
    for (const waiting = [...(graph.get(start) ?? [])]; waiting.length > 0; ) {
      const next = waiting.pop() ?? ''
      if (!seen.has(next)) waiting.push(...(graph.get(next) ?? []))
      seen.add(next)
    }
    return seen
  }
  const inCircles = [...graph.keys()].filter((file) => reached(file).has(file)).sort()
  // In storage/disk ten, around drafts and trees; two in uploads. The number only gets smaller.
  expect([inCircles.length, inCircles]).toEqual([Math.min(inCircles.length, 12), inCircles])
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
  {
    why: 'the environment is read once',
    of: '^(?!config/config\\.ts|database/postgres/settings\\.ts)',
    never: /process\.env/,
  },
  {
    why: 'queries live in store.ts, or in the ledgers of the storage',
    of: '^(?!database/|.*store\\.ts|storage/disk/ledger\\.ts|storage/remote/records\\.ts)',
    never: /\.(selectFrom|insertInto|updateTable|deleteFrom)\(/,
  },
  {
    why: 'status numbers live in http/, and in the answers of rooms',
    of: '^(?!http/|doors/report|.*/(routes|answer))',
    never: /\bstatus: \d|statusOf/,
  },
  {
    why: 'errnos live in storage/',
    of: '^(?!storage/|cli/serve/start-errors|cli/system-errors)',
    never: /'E(NOENT|EXIST|ACCES|PERM|NOSPC|ISDIR|NOTDIR)'/,
  },
  {
    why: 'what an account changes in a storage goes through changes/',
    of: '^(?!changes/|access/scope)',
    never: /scope\.(write|rename|copy|remove|createFolder|publish)\(/,
  },
  { why: 'only its adapter knows the driver of PostgreSQL', of: '^(?!database/postgres/)', never: /from 'pg'/ },
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

/** What is not so everywhere yet. A list only ever gets shorter: what is on it and has been mended has to be struck off. */
interface Rule {
  why: string
  found(): string[]
  except: readonly string[]
}

const inRooms = (file: string): boolean => ['doors', ...rooms(), 'changes', 'access'].includes(folderOf(file))
const filesWith = (pattern: RegExp, isConcerned: (file: string) => boolean): string[] =>
  sources.filter(({ file, text }) => isConcerned(file) && pattern.test(text)).map(({ file }) => file)

/** The only tables that each of these reads or writes; other rooms are asked by their functions. */
const tablesOf: Readonly<Record<string, readonly string[]>> = {
  access: ['attempt'],
  changes: ['change'],
  favourites: ['favourite'],
  grants: ['grant', 'former_grant'],
  history: ['kept', 'operation', 'known_item'],
  jobs: ['job', 'job_plan'],
  groups: ['circle', 'member'],
  mounts: ['mount'],
  nodes: ['node', 'message'],
  sessions: ['session', 'sign_in', 'inherited_user', 'inherited_token'],
  settings: ['setting'],
  shares: ['share', 'inherited_share'],
  storage: ['draft', 'leaving', 'remote_draft'],
  uploads: ['upload'],
  users: ['user'],
  // All rows of an instance are made, saved or restored at once.
  backups: [
    ...['attempt', 'draft', 'inherited_user', 'job', 'leaving', 'node', 'remote_draft', 'session', 'setting', 'upload'],
    'user',
  ],
  takeover: ['counter', 'inherited_share', 'inherited_user', 'share', 'user'],
}

const rules: Rule[] = [
  {
    why: 'a path is checked in storage/path.ts, and nothing else calls a text one',
    found: () => filesWith(/ as VirtualPath\b/, (file) => file !== 'storage/path.ts' && !/\/testing\//.test(file)),
    except: [
      ...['access/lookup.ts', 'archives/selection.ts', 'changes/verbs.ts', 'mounts/location.ts', 'search/search.ts'],
      ...['settings/branding.ts', 'storage/disk/listing.ts', 'storage/threads/worker.ts'],
    ],
  },
  {
    why: 'files are seen through a scope; a bare storage is for what acts for no account',
    found: () => filesWith(/\bstorageAt\b|\{[^}]*\bStorage\b[^}]*\} from '[./]*storage\/port/, (file) => inRooms(file)),
    except: [
      // Make scopes of it.
      ...[
        'access/access.ts',
        'access/lookup.ts',
        'access/outline.ts',
        'access/past-storage.ts',
        'access/scope.ts',
        'access/tree-storage.ts',
        'access/tree-top.ts',
        'access/walk.ts',
        'history/past.ts',
      ],
      // Keep books about where files lie, make homes, make and remove drafts.
      ...['shares/affected.ts', 'shares/follow.ts', 'shares/resolve.ts', 'shares/shares.ts'],
      ...[
        'uploads/end.ts',
        'uploads/expire.ts',
        'uploads/follow.ts',
        'uploads/held.ts',
        'uploads/places.ts',
        'uploads/recover.ts',
        'uploads/uploads.ts',
      ],
      ...['changes/taken-along.ts', 'favourites/follow.ts', 'users/home.ts', 'users/users.ts'],
      // Look into stores, and end what is kept there.
      ...['history/follow.ts', 'history/past.ts', 'history/purging.ts', 'history/reconcile.ts', 'history/upkeep.ts'],
      // Hands it on to those, and looks at what became of operations.
      ...['history/history.ts', 'history/operations/look.ts'],
      // Ask what a grant is for, and where a symlink leads.
      ...['grants/grants.ts', 'grants/explanation.ts', 'grants/folders.ts'],
    ],
  },
  {
    why: 'rooms know the port of the storage, and nothing behind it',
    found: () =>
      imports
        .filter(({ from, to }) => inRooms(from) && /^storage\/(disk|linux|threads)\//.test(to))
        .map(({ from, to }) => `${from} > ${to.slice('storage/'.length)}`),
    except: [
      'client/installed-app.ts > linux/errno.ts',
      ...['cache', 'database', 'kept', 'mounts', 'network', 'root', 'tls'].map(
        (file) => `doctor/${file}.ts > linux/account.ts`,
      ),
      'doors/report.ts > linux/account.ts',
      'doors/report.ts > linux/errno.ts',
      'takeover/bolt/file.ts > linux/libc.ts',
    ],
  },
  {
    why: 'no room waits for a disk inside of the event loop',
    found: () =>
      filesWith(/\b\w+Sync\(/, (file) => inRooms(file) && !/^(backups|doctor|takeover)\/|\/decoder\//.test(file)),
    except: [
      // At the start.
      ...['client/assets.ts', 'client/page.ts', 'previews/cache.ts'],
      // Compress in memory; close sockets and files in memory.
      ...['archives/codecs/lz4.ts', 'archives/codecs/packing-worker.ts', 'previews/decoder-process.ts'],
    ],
  },
  {
    why: 'the event loop opens and names nothing on a disk: of the adapter it has only what grows and sends open files',
    found: () =>
      sources
        .filter(({ file }) => /^storage\/threads\/(?!worker|verbs)/.test(file))
        .flatMap(({ text }) => [...text.matchAll(/^import \{([^}]*)\} from '\.\.\/(?:disk|linux)\//gm)])
        .flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))
        .filter((name) => name !== '' && !name.startsWith('type ')),
    except: [
      ...[
        'closeBeside',
        'codeOf',
        'diskCapabilities',
        'DiskEntry',
        'Errno',
        'fileCalls',
        'mountTable',
        'openDraftOver',
      ],
      ...['fileInMemory', 'fileInPassing', 'openFile', 'receive', 'translated'],
      // The queue of the kernel, which is read without waiting; threads name the folders.
      ...['IN', 'openInotify', 'readEvents', 'removeWatch'],
      // Once, at the start: symlinks on the way to the root, and none on a file system that may not answer.
      'realNameOf',
    ],
  },
  {
    why: 'a room reads and writes tables of its own',
    found: () =>
      sources
        .filter(({ file }) => !file.startsWith('database/'))
        .flatMap(({ file, text }) =>
          [...text.matchAll(/\.(?:selectFrom|insertInto|updateTable|deleteFrom|innerJoin)\(\s*'(\w+)/g)]
            .filter(([, table = '']) => !tablesOf[folderOf(file)]?.includes(table))
            .map(([, table]) => `${file} ${table}`),
        ),
    except: [
      // Counts.
      ...['metrics/store.ts session', 'metrics/store.ts upload'],
      // One query of every request; a check in the same statement.
      'sessions/store.ts user',
      'shares/store.ts change',
      'storage/disk/ledger.ts upload',
    ],
  },
]

test.each(rules)('$why', ({ found, except }) => {
  expect([...new Set(found())].filter((breach) => !except.includes(breach))).toEqual([])
})

test.each(rules)('no exception is left that has been mended: $why', ({ found, except }) => {
  const breaches = found()
  expect(except.filter((exception) => !breaches.includes(exception))).toEqual([])
})

const repository = join(import.meta.dirname, '../..')
const book = readFileSync(join(repository, 'ARCHITECTURE.md'), 'utf8')

/** The lines from a heading to the next one of its rank, or of a higher one. */
function chapter(heading: string): string {
  const [rank = ''] = heading.split(' ', 1)
  const start = book.indexOf(`\n${heading}\n`)
  expect([heading, start > 0]).toEqual([heading, true])
  const rest = book.slice(start + heading.length + 2)
  const end = rest.search(new RegExp(`^#{1,${rank.length}} `, 'm'))
  return end === -1 ? rest : rest.slice(0, end)
}

const quoted = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name)
/** Paths in ARCHITECTURE.md begin in one of these, the nearest that fits. */
const bases = ['server/src', 'server/test', 'web/src', '']
const resolved = (path: string): string | undefined =>
  bases.map((base) => join(base, path)).find((full) => existsSync(join(repository, full)))
/** Names of files and folders, not patterns such as `<verb>.ts`. */
const isPath = (name: string): boolean => /^[\w./-]+(\/|\.(tsx?|mjs|json|md))$/.test(name) && !name.startsWith('/')
const known = new Set(
  ['server', 'web/src', 'contract/src', 'docs'].flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' }).map((file) => basename(file)),
  ),
)

test('every file and folder that ARCHITECTURE.md names is there', () => {
  const named = [...quoted(book).filter(isPath), ...[...book.matchAll(/\]\(([^)#:]+)/g)].map(([, path = '']) => path)]
  expect(named.length).toBeGreaterThan(200)
  const isThere = (path: string) => resolved(path) !== undefined || (!path.includes('/') && known.has(path))
  expect([...new Set(named)].filter((path) => !isThere(path))).toEqual([])
})

test('every invariant names a test that is there', () => {
  const claims = chapter('## Invariants').split('\n- ').slice(1)
  expect(claims.length).toBeGreaterThan(25)
  const kept = claims.flatMap((claim) => [...claim.matchAll(/`([\w./-]+\.(?:test|spec)\.ts)` "([^"]+)"/g)])
  expect(claims.filter((claim) => !/\.(?:test|spec)\.ts` "/.test(claim))).toEqual([])
  const textOf = (file: string): string =>
    resolved(file) === undefined ? '' : readFileSync(join(repository, resolved(file) ?? ''), 'utf8')
  const isStale = ([, file = '', title = '']: RegExpMatchArray) => !textOf(file).includes(title)
  expect(kept.filter(isStale).map(([, file, title]) => `${file}: ${title}`)).toEqual([])
})

test('every folder of the server is on the map, and in the order of its floors', () => {
  const map = [...chapter('## Code map').matchAll(/^- `([\w.-]+)\/?`/gm)].map(([, name = '']) => name)
  expect(map.filter((name) => floors.includes(name))).toEqual(floors)
})

/** They put one thing behind another: a room behind its door, the threads behind the storage. */
const assemblers = [
  'app/app.ts',
  'app/rooms.ts',
  'app/routes.ts',
  'app/served-storage.ts',
  'doors/doors.ts',
  'storage/threads/scopes.ts',
]

test.each(['### Saving a file', '### Receiving a part of an upload'])(
  '%s takes few files, each known to one before it',
  (way) => {
    const files = [...new Set(quoted(chapter(way)).filter((name) => /\.ts$/.test(name)))]
    expect(files.length).toBeGreaterThan(15)
    expect(files.length).toBeLessThanOrEqual(25)
    const started = readFileSync(join(import.meta.dirname, 'parts.ts'), 'utf8')
    const isKnown = (file: string, before: readonly string[]) =>
      started.includes(file) ||
      imports.some(({ from, to }) => to === file && (before.includes(from) || assemblers.includes(from)))
    expect(files.filter((file, index) => index > 0 && !isKnown(file, files.slice(0, index)))).toEqual([])
  },
)

/** Values that outlive a call: made once for the whole module. */
const kept =
  /^(?:export )?(?:let \w+|const \w+(?:: [^=\n]+)? = (?:new (?:Map|Set|WeakMap)(?:<[^\n]*>)?\(\)|(?:heldFiles|shelfOf|checksumCache|fairQueue|limitOf|semaphore|singleFlight|workerPool(?:<[^\n]*>)?)\())/m

test('state that belongs to a process, and not to one request or the database, is listed', () => {
  const listed = quoted(chapter('### Which state belongs to one process'))
  const keepers = filesWith(kept, (file) => !/\/testing\//.test(file))
  expect(keepers.length).toBeGreaterThan(15)
  expect(keepers.filter((file) => !listed.includes(file))).toEqual([])
})

function rooms(): string[] {
  return floors.slice(floors.indexOf('doors') + 1, floors.indexOf('changes'))
}
