import { afterAll, beforeAll, expect } from 'bun:test'
import { copyFileSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { readStored, type Stored } from '../src/cli/config/stored.ts'
import { openDatabase } from '../src/database/open.ts'
import { type Account, accountNamed } from '../src/users/store.ts'
import { addressFor, copyDatabase, dropDatabase, isOnPostgres } from './database.ts'
import { scratchFolder } from './disk.ts'
import { prepared } from './prepared.ts'
import { type RunOptions, run } from './process.ts'

export const password = 'a password of their own'
export const folder = scratchFolder('commands')
let template = ''
const made: string[] = []

beforeAll(async () => {
  const fill = async (database: string) => {
    await run(['config', 'init', '-d', database])
    await run(['users', 'add', 'boss', password, '--perm.admin', '-d', database])
  }
  if (!isOnPostgres) {
    template = await prepared('commands.db', fill)
    return
  }
  template = await addressFor(join(folder, 'template'))
  made.push(template)
  await fill(template)
})
afterAll(async () => {
  for (const address of made) await dropDatabase(address)
})

/** A database, and a folder of its own where commands that name no database find it. */
export class CliFolder {
  readonly folder = mkdtempSync(join(folder, 'place-'))
  database = join(this.folder, 'filestead.db')

  /** With one administrator in the database. */
  static async make(): Promise<CliFolder> {
    const place = new CliFolder()
    if (isOnPostgres) place.use(await copyDatabase(template))
    else copyFileSync(template, place.database)
    return place
  }

  /** Where nothing has been set up: there is no file, or nothing in the tables. */
  static async unused(): Promise<CliFolder> {
    const place = new CliFolder()
    if (isOnPostgres) place.use(await addressFor(place.database))
    return place
  }

  private use(address: string): void {
    this.database = address
    made.push(address)
  }

  get env(): Record<string, string> {
    return isOnPostgres ? { FILESTEAD_DATABASE: this.database } : {}
  }

  run(words: string[], { env, ...options }: RunOptions = {}) {
    return run(words, { cwd: this.folder, ...options, env: { ...this.env, ...env } })
  }

  /** The output of a command that must succeed. */
  async ask(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(words)
    if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${stderr}`)
    return stdout
  }

  /** The one line of a command that must fail. */
  async refusal(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(words)
    expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 1, stdout: '', lines: 2 })
    return stderr.trimEnd()
  }

  async stored(): Promise<Stored> {
    const db = await openDatabase(this.database)
    return readStored(db).finally(() => db.destroy())
  }

  async account(name: string): Promise<Account> {
    const db = await openDatabase(this.database)
    const account = await accountNamed(db, name).finally(() => db.destroy())
    if (account === undefined) throw new Error(`There is no account ${name}`)
    return account
  }
}

export const inPairs = async <T>(list: readonly T[], work: (item: T) => Promise<void>): Promise<void> => {
  for (let at = 0; at < list.length; at += 2) await Promise.all(list.slice(at, at + 2).map(work))
}
