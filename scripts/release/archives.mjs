import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../prepare.mjs'

/** Names under which scripts download File Browser. Each archive has the program under its old name, at the top level. */
const formerNames = { 'linux-x64': 'linux-amd64-filebrowser', 'linux-arm64': 'linux-arm64-filebrowser' }

/** The archives of one target. `folder` is the name of its folder in `out`. */
export function makeArchives(out, folder, target, { light = false } = {}) {
  const own = `${folder}.tar.gz`
  pack(join(out, own), out, [folder], { light })
  const former = formerNames[target.name]
  if (former === undefined) return [own]
  const names = ['filestead', 'lib', 'README.md', 'CHANGELOG.md', 'LICENSE', 'THIRD-PARTY-LICENSES.txt']
  const transform = ['--transform=s,^filestead$,filebrowser,']
  pack(join(out, `${former}.tar.gz`), join(out, folder), names, { light, transform })
  return [own, `${former}.tar.gz`]
}

/** The same files make the same archive, for every user and at every time. `light` is for tests: fast and larger. */
export function pack(file, cwd, names, { light = false, transform = [], date = sourceDate() } = {}) {
  const same = ['--owner=0', '--group=0', '--numeric-owner', '--sort=name', `--mtime=@${date}`, '--format=gnu']
  const gzip = `--use-compress-program=gzip -n${light ? ' -1' : ''}`
  execFileSync('tar', ['-cf', file, gzip, ...same, ...transform, ...names], { cwd })
}

/** In seconds: the date of the commit, or of now for sources without a history. */
export function sourceDate() {
  const { SOURCE_DATE_EPOCH: given } = process.env
  if (given !== undefined && given !== '') return given
  try {
    return execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, stdio: 'pipe', encoding: 'utf8' }).trim()
  } catch {
    return String(Math.floor(Date.now() / 1000))
  }
}

export const sumOf = (file) => createHash('sha256').update(readFileSync(file)).digest('hex')

export function writeSums(out, files) {
  writeFileSync(join(out, 'SHA256SUMS'), files.map((name) => `${sumOf(join(out, name))}  ${name}\n`).join(''))
}
