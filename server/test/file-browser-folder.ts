import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addressFor, isOnPostgres } from './database.ts'
import { scratchFolder } from './disk.ts'
import { type OldRecords, oldDatabase, oldPassword, sample } from './file-browser-database.ts'
import { freePort } from './free-port.ts'
import { askAt, launch, type Running, type RunOptions, run, signIn, untilHealthy } from './process.ts'

export const home = scratchFolder('takeover')

/** A folder as File Browser left it: its database, and the files it served. */
export class FileBrowserFolder {
  readonly folder = mkdtempSync(join(home, 'place-'))
  readonly old = join(this.folder, 'filebrowser.db')
  readonly ours = join(this.folder, 'filestead.db')
  readonly root = join(this.folder, 'srv')

  constructor(records?: OldRecords) {
    for (const path of ['docs/open', 'team', 'private']) mkdirSync(join(this.root, path), { recursive: true })
    writeFileSync(join(this.root, 'docs/a.txt'), 'shared')
    if (records === undefined) copyFileSync(sample.database, this.old)
    else writeFileSync(this.old, oldDatabase(records))
    utimesSync(this.old, 1_700_000_000, 1_700_000_000)
  }

  identity(): string {
    const hash = createHash('sha256').update(readFileSync(this.old)).digest('hex')
    return `${hash} ${statSync(this.old).mtimeMs} ${statSync(this.old).ino}`
  }

  run(words: string[], options: RunOptions = {}) {
    return run(words, { cwd: this.folder, ...options })
  }

  /** The database that a server is started with: File Browser's own, or the PostgreSQL into which a command has taken it over. */
  async database(): Promise<string> {
    if (!isOnPostgres) return this.old
    const address = await addressFor('')
    const { code, stderr } = await this.run(['takeover', '--from', this.old, '-r', this.root, '-d', address])
    if (code !== 0) throw new Error(`takeover ended with ${code}: ${stderr}`)
    return address
  }

  async serve(words: string[] = ['-d', this.old, '-r', this.root], options: RunOptions = {}): Promise<Serving> {
    const port = await freePort()
    const running = launch([...words, '-p', String(port)], { cwd: this.folder, ...options })
    const url = `http://127.0.0.1:${port}`
    await untilHealthy(url, running)
    return {
      url,
      running,
      ask: async (who, path, init) => {
        const token = who === undefined ? undefined : await signIn(url, who)
        return askAt(url, path, { ...init, headers: { ...(token && { 'x-auth': token }), ...init?.headers } })
      },
      [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
    }
  }
}

interface Serving extends AsyncDisposable {
  readonly url: string
  readonly running: Running
  ask(who: typeof admin | undefined, path: string, init?: RequestInit): Promise<Response>
}

export const admin = { username: 'admin', password: 'Adm1n-password-xyz' }
export const jurgen = { username: 'jürgen', password: 'Jurgen-pass-12' }
export const reader = { username: 'reader', password: 'Reader-pass-12' }
export const oldBoss = { username: 'admin', password: oldPassword }
