import { spawn } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { makePair } from './certificates.ts'
import { initialise } from './process.ts'

const repository = join(import.meta.dirname, '../..')
const standIns = join(import.meta.dirname, 'stand-ins')
const samples = join(import.meta.dirname, 'samples')

/** What is on the machine before a reader starts to type. */
export interface Before {
  /** The service is installed and has been set up, and so is a container whose volumes are in the clone. */
  isInstalled?: boolean
  /** File Browser was used here, and served /srv/files. */
  hasFileBrowser?: boolean
  /** There is a backup of the service's database. */
  hasBackup?: boolean
}

/** A fenced block of a page. */
export interface Block {
  page: string
  line: number
  language: string
  /** Why it cannot be run. */
  skip: string | undefined
  text: string
}

export function blocksOf(page: string): Block[] {
  const fences = readFileSync(join(repository, page), 'utf8').matchAll(/^```([^\n]*)\n(.*?)^```$/gms)
  return [...fences].map(({ 1: info = '', 2: text = '', index, input }) => ({
    page,
    line: input.slice(0, index).split('\n').length,
    language: /^\w*/.exec(info)?.[0] ?? '',
    skip: /skip="([^"]+)"/.exec(info)?.[1],
    text,
  }))
}

/**
 * A machine in a folder: its /srv, /etc, /opt and so on, a clone with a release in it where every block begins, and
 * stand-ins for programs that would change the real machine.
 */
export class World implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'filestead-manual-'))
  readonly clone = join(this.folder, 'clone')

  static async make({ isInstalled = false, hasFileBrowser = false, hasBackup = false }: Before): Promise<World> {
    const world = new World()
    for (const name of ['home', 'etc/systemd/system', 'opt', 'run', 'usr/local/bin', 'var/lib', 'srv'])
      mkdirSync(world.at(name), { recursive: true })
    writeFileSync(world.at('accounts'), isInstalled ? 'filestead\n' : '')
    writeFileSync(world.at('reloaded'), '')
    world.#makeClone()
    await world.#makeArchive()
    if (hasFileBrowser) world.#useFileBrowser()
    if (isInstalled) await world.#install()
    if (hasBackup) await world.#backUp()
    return world
  }

  at(name: string): string {
    return join(this.folder, name)
  }

  /** Runs a block as a reader would who pastes it, line by line until the first failure. */
  async run({ text, page, line, language }: Block): Promise<void> {
    const script = inFolder(text, this.folder)
    const stray = strayPath.exec(script.replaceAll(this.folder, 'world'))
    if (stray !== null) throw new Error(`${page}:${line} names ${stray[0].trim()}, which is no path of this world`)
    const { code, output } = await this.#shell(script)
    const hint = language === '' ? ' If it is not a command, name its language, as in ```ini.' : ''
    if (code !== 0) throw new Error(`${page}:${line} ended with ${code}.${hint}\n${output}\n${text}`)
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  #shell(script: string): Promise<{ code: number | null; output: string }> {
    return new Promise((resolve) => {
      const child = spawn('sh', ['-euc', script], {
        cwd: this.clone,
        env: {
          PATH: `${standIns}:${this.at('usr/local/bin')}:/usr/bin:/bin`,
          HOME: this.at('home'),
          WORLD: this.folder,
          REPOSITORY: repository,
          RUNTIME: process.execPath,
          STAND_INS: standIns,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let output = ''
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (piece) => {
          output += piece
        })
      child.on('close', (code) => resolve({ code, output }))
    })
  }

  #makeClone(): void {
    const sources = this.at('sources')
    mkdirSync(join(sources, 'bin'), { recursive: true })
    for (const name of ['package.json', 'packaging', 'LICENSE'])
      cpSync(join(repository, name), join(sources, name), { recursive: true })
    this.#makeProgram(join(sources, 'bin/filestead'))
    cpSync(sources, this.clone, { recursive: true })
  }

  #makeProgram(file: string): void {
    writeFileSync(file, '#!/bin/sh\nexec "$STAND_INS/filestead" "$@"\n')
    chmodSync(file, 0o755)
  }

  /** What a reader has downloaded, with the program and what pages copy from it. */
  async #makeArchive(): Promise<void> {
    const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
    const name = `filestead-${version}-linux-x64`
    mkdirSync(this.at(name))
    this.#makeProgram(this.at(`${name}/filestead`))
    cpSync(join(repository, 'packaging'), this.at(`${name}/packaging`), { recursive: true })
    const pack = `tar -czf clone/${name}.tar.gz ${name} && rm -r ${name} && cd clone && sha256sum *.tar.gz > SHA256SUMS`
    const { code, output } = await this.#shell(`cd .. && ${pack}`)
    if (code !== 0) throw new Error(output)
    writeFileSync(join(this.clone, `filestead_${version}_amd64.deb`), '')
  }

  #useFileBrowser(): void {
    for (const name of ['srv/files/docs', 'srv/files/team', 'var/lib/filebrowser'])
      mkdirSync(this.at(name), { recursive: true })
    copyFileSync(join(samples, 'filebrowser.db'), this.at('var/lib/filebrowser/filebrowser.db'))
    for (const name of ['config', 'users'])
      copyFileSync(join(samples, `${name}-export.json`), join(this.clone, `${name}.json`))
  }

  async #install(): Promise<void> {
    for (const name of ['opt/filestead', 'srv/files', 'etc/filestead', 'backups'])
      mkdirSync(this.at(name), { recursive: true })
    for (const name of ['files', 'database', 'config', 'data']) mkdirSync(join(this.clone, name))
    this.#makeProgram(this.at('opt/filestead/filestead'))
    symlinkSync(this.at('opt/filestead/filestead'), this.at('usr/local/bin/filestead'))
    copyFileSync(
      join(repository, 'packaging/systemd/filestead.service'),
      this.at('etc/systemd/system/filestead.service'),
    )
    const database = this.at('var/lib/filestead/filestead.db')
    await initialise(database)
    for (const copy of ['database/filestead.db', 'data/filestead.db']) copyFileSync(database, join(this.clone, copy))
    this.#writeConfigFile()
    const { cert, key } = makePair(this.folder, 'manual')
    copyFileSync(cert, this.at('etc/filestead/fullchain.pem'))
    copyFileSync(key, this.at('etc/filestead/privkey.pem'))
  }

  async #backUp(): Promise<void> {
    const file = this.at('backups/filestead-2026-11-15.tar.gz')
    const { code, output } = await this.#shell(
      `filestead backup ${file} -d ${this.at('var/lib/filestead/filestead.db')}`,
    )
    if (code !== 0) throw new Error(output)
  }

  /** The config file is the one that the manual shows, under the name that it has there. */
  #writeConfigFile(): void {
    for (const { text } of blocksOf('docs/operating/configuration.md')) {
      const name = /^# (\/etc\/\S+)/.exec(text)?.[1]
      if (name === undefined) continue
      mkdirSync(dirname(this.at(name)), { recursive: true })
      writeFileSync(this.at(name), inFolder(text, this.folder))
    }
  }
}

/** Paths of the machine become paths below a folder. */
const inFolder = (text: string, folder: string): string =>
  text.replaceAll(/(?<=^|[\s"'=])(?=\/(?:srv|etc|opt|run|backups|var\/lib|usr\/local)\b)/gm, folder)

/** Whatever else begins with a slash could be a path of the real machine. */
const strayPath = /(?:^|[\s"'=])\/(?!dev\/null|usr\/sbin\/nologin|database\/|alice\b)[\w./-]*/m
