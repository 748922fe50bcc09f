import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const rooms =
  'sessions|files|users|settings|commands|shares|search|previews|uploads|health|metrics|doctor|backups|takeover'

const walls = [
  { why: 'the domain does not know HTTP', of: `^(${rooms})/(?!routes)`, never: /from '(hono|\.\.\/http\/)/ },
  { why: 'routes reach bytes and rows through the domain', of: 'routes\\.ts$', never: /from '(node:fs|kysely)/ },
  {
    why: 'only the composition root chooses an adapter',
    of: '^(?!app\\.ts|storage/)',
    never: /storage\/(disk|memory)/,
  },
  { why: 'the environment is read once', of: '^(?!config\\.ts)', never: /process\.env/ },
  {
    why: 'queries live in store.ts',
    of: '^(?!database/|.*store\\.ts)',
    never: /\.(selectFrom|insertInto|updateTable|deleteFrom)\(/,
  },
  { why: 'status numbers live in http/', of: '^(?!http/)', never: /\bstatus: \d|statusOf/ },
  {
    why: 'errnos live in storage/',
    of: '^(?!storage/|commandline/serve)',
    never: /'E(NOENT|EXIST|ACCES|PERM|NOSPC|ISDIR|NOTDIR)'/,
  },
  { why: 'a file is never copied by the runtime onto a file', of: '', never: /Bun\.write\(/ },
  {
    why: 'nobody but the launcher of commands starts processes',
    of: '^(?!commands/)',
    never: /Bun\.spawn|child_process/,
  },
]

const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(file),
)

test.each(walls)('$why', ({ of, never }) => {
  const breaches = sources.filter(
    (file) => new RegExp(of).test(file) && never.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
  )
  expect(breaches).toEqual([])
})

test('there is something behind the walls', () => {
  expect(sources.length).toBeGreaterThan(40)
})
