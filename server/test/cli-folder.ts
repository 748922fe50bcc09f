import { beforeAll, expect } from 'bun:test'
import { copyFileSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { readStored, type Stored } from '../src/cli/config/stored.ts'
import { openDatabase } from '../src/database/open.ts'
import { type Account, accountNamed } from '../src/users/store.ts'
import { scratchFolder } from './disk.ts'
import { type RunOptions, run } from './process.ts'

export const password = 'a password of their own'
export const folder = scratchFolder('commands')
const prepared = join(folder, 'prepared.db')

beforeAll(async () => {
  await run(['config', 'init', '-d', prepared])
  await run(['users', 'add', 'boss', password, '--perm.admin', '-d', prepared])
})

/** A database with one administrator, in a folder of its own where the commands are run. */
export class CliFolder {
  readonly folder = mkdtempSync(join(folder, 'place-'))
  readonly database = join(this.folder, 'filestead.db')

  constructor() {
    copyFileSync(prepared, this.database)
  }

  run(words: string[], options: RunOptions = {}) {
    return run(words, { cwd: this.folder, ...options })
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
