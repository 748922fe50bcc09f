// Makes a clone ready to run: installs what is missing, and builds the client and the bundle of the server when their
// sources changed.
// Does nothing, quickly, when everything is in place.
import './node-version.mjs'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { runtime } from './runtime.mjs'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** With `compressed`, files of the client also get compressed copies, which take longer to make than the client itself. */
export function prepare({ compressed = false } = {}) {
  try {
    if (!isInstalled()) {
      say('Installing packages …')
      install()
    }
    bundleServer()
    const wanted = fingerprintOf(clientParts)
    if (contentOf(stamps.built) !== wanted) {
      say('Building the client …')
      build()
      writeFileSync(stamps.built, wanted)
    }
    if (compressed && contentOf(stamps.compressed) !== wanted) {
      say('Compressing the client …')
      runQuietly(process.execPath, [join(root, 'scripts/precompress.mjs'), dist], 'The client could not be compressed')
      writeFileSync(stamps.compressed, wanted)
    }
  } catch (error) {
    say(`Error: ${error.message}`)
    process.exit(1)
  }
}

const dist = join(root, 'web/dist')
const bundle = join(root, 'server/dist')
const stamps = {
  built: join(dist, '.built-from'),
  compressed: join(dist, '.compressed-from'),
  bundled: join(bundle, '.built-from'),
}
const contentOf = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')

function isInstalled() {
  // npm writes this file at the end of every installation.
  const done = join(root, 'node_modules/.package-lock.json')
  return existsSync(done) && statSync(done).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs
}

function install() {
  // Not `npm ci`: it insists on the packages of every platform, and some mirrors do not carry them all.
  const command = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund']
  // Without a network npm tries for many minutes and prints nothing. What is in its cache can be installed all the same.
  const obstacle = networkObstacle()
  const { status, error } = spawnSync(
    'npm',
    [...command, ...(obstacle === undefined ? ['--loglevel=error'] : ['--offline', '--loglevel=silent'])],
    { cwd: root, stdio: ['ignore', 2, 2] },
  )
  if (status === 0) return
  if (error !== undefined) throw new Error(missing(error))
  throw new Error(
    obstacle === undefined
      ? 'The packages could not be installed; npm says why above'
      : `The packages cannot be downloaded: ${obstacle}. Look at the network and the proxy settings of npm (npm config get registry proxy), then start again`,
  )
}

/** Why the registry does not answer. Asked by npm itself, which has settings for proxies and mirrors. */
function networkObstacle() {
  const { status, error, stderr } = spawnSync('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=10000'], {
    cwd: root,
    encoding: 'utf8',
  })
  if (error !== undefined) throw new Error(missing(error))
  // A mirror may answer that it knows no ping.
  const [, code] = /code ((?:EAI_|ENOTFOUND|ECONN|ENET|EHOST|ETIMEDOUT|ERR_SOCKET|FETCH_ERROR)\w*)/.exec(stderr) || []
  if (status === 0 || code === undefined) return undefined
  const [, address] = /request to (https?:\/\/[^/\s]+)/.exec(stderr) || []
  return `no answer from ${address || 'the registry'} (${code})`
}

const missing = (error) =>
  error.code === 'ENOENT' ? 'npm was not found. Install it together with Node' : `npm does not run: ${error.message}`

function build() {
  const vite = [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel=warn']
  runQuietly(process.execPath, vite, 'The client could not be built', join(root, 'web'))
}

/**
 * The launcher compares the sources with the time of the stamp: that is the time before they were read. Without the bundle
 * it runs the sources, so a bundle that cannot be made stops nothing.
 */
function bundleServer() {
  const now = new Date()
  const wanted = fingerprintOf(serverParts)
  try {
    if (contentOf(stamps.bundled) !== wanted) {
      rmSync(bundle, { recursive: true, force: true })
      const script = join(root, 'scripts/server-bundle.mjs')
      const { status } = spawnSync(runtime(), ['--config=/dev/null', script, join(root, 'server')], { stdio: 'ignore' })
      if (status !== 0) return
      writeFileSync(stamps.bundled, wanted)
    }
    utimesSync(stamps.bundled, now, now)
  } catch {
    // Such as a clone of another account.
  }
}

/** Output is shown only after a failure: warnings of build tools look like errors of the program. */
function runQuietly(command, args, failure, cwd = root) {
  const { status, error, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 1e8 })
  if (status === 0) return
  process.stderr.write(`${stdout || ''}${stderr || ''}`)
  throw new Error(`${failure}${error ? `: ${error.message}` : '; the reason is above'}`)
}

const clientParts = ['web/index.html', 'web/vite.config.ts', 'web/build', 'web/src', 'web/public', 'contract/src']
const serverParts = ['scripts/server-bundle.mjs', 'server/src', 'contract/src', 'package.json']

/** A fingerprint of everything that a build is made of. */
function fingerprintOf(parts) {
  const hash = createHash('sha256')
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

const say = (text) => process.stderr.write(`${text}\n`)

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) prepare()
