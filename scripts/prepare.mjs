// Makes a clone ready to run: installs what is missing and builds the client when its sources changed.
// Does nothing, quickly, when everything is in place.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

export function prepare() {
  if (!isInstalled()) {
    say('Installing packages …')
    // Not `npm ci`: it insists on the packages of every platform, and some mirrors do not carry them all.
    run('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], root)
  }
  const wanted = clientSources()
  if (builtFrom() !== wanted) {
    say('Building the client …')
    run(process.execPath, [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel=warn'], join(root, 'web'))
    writeFileSync(stamp, wanted)
  }
}

const stamp = join(root, 'web/dist/.built-from')
const builtFrom = () => (existsSync(stamp) ? readFileSync(stamp, 'utf8') : '')

function isInstalled() {
  // npm writes this file at the end of every installation.
  const done = join(root, 'node_modules/.package-lock.json')
  return existsSync(done) && statSync(done).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs
}

/** A fingerprint of everything the built client is made of. */
function clientSources() {
  const hash = createHash('sha256')
  const parts = ['web/index.html', 'web/vite.config.ts', 'web/build', 'web/src', 'web/public', 'contract/src']
  for (const part of [...parts, 'package-lock.json']) {
    for (const file of filesIn(join(root, part))) hash.update(file.slice(root.length)).update(readFileSync(file))
  }
  return hash.digest('hex')
}

function filesIn(path) {
  if (statSync(path).isFile()) return [path]
  const names = readdirSync(path).sort()
  return names.flatMap((name) => filesIn(join(path, name)))
}

function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new Error(`${command} ${args[0]} failed${error ? `: ${error.message}` : ''}`)
}

const say = (text) => process.stderr.write(`${text}\n`)

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    prepare()
  } catch (error) {
    say(`Error: ${error.message}`)
    process.exit(1)
  }
}
