import { open } from 'node:fs/promises'
import { DatabaseRefusal } from '../port.ts'

/** What a connection leads to. */
interface Target {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
}

/**
 * The password of a connection, empty for none, by the first fitting line of a pgpass file, each of which is host:port:database:user:password.
 * As for PostgreSQL's own programs, a file that others can read does not count: it is refused instead of overlooked.
 */
export async function passwordIn(file: string, { host, port, database, user }: Target): Promise<string> {
  const content = await contentOf(file)
  const hosts = host.startsWith('/') ? [host, 'localhost'] : [host]
  const wanted = [hosts, [String(port)], [database], [user]]
  for (const line of content.split(/\r?\n/)) {
    if (line.startsWith('#')) continue
    const fields = fieldsIn(line)
    if (wanted.every((values, at) => fields[at] === '*' || values.includes(fields[at] ?? ''))) return fields[4] ?? ''
  }
  return ''
}

/** A backslash takes the special meaning from what follows. */
const fieldsIn = (line: string): string[] =>
  (line.match(/(?:\\.|[^\\:])*(?::|$)/gs) ?? []).map((field) => field.replace(/:$/, '').replace(/\\(.)/gs, '$1'))

async function contentOf(file: string): Promise<string> {
  let opened: Awaited<ReturnType<typeof open>>
  try {
    opened = await open(file)
  } catch {
    return ''
  }
  try {
    const { mode } = await opened.stat()
    if ((mode & 0o077) !== 0) throw new DatabaseRefusal('away', new Error(tooOpen(file)))
    return await opened.readFile('utf8')
  } finally {
    await opened.close()
  }
}

const tooOpen = (file: string): string =>
  `other accounts can read the password file ${file}, so it does not count. Change that: chmod 600 ${file}`
