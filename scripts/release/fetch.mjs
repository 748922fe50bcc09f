import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../prepare.mjs'
import { nameOf } from './packages.mjs'

/** Where the files of a package are: among those that are installed, or fetched for another platform. */
export function folderOf(place, { version }, store) {
  const installed = join(root, place)
  if (existsSync(join(installed, 'package.json')) && versionIn(installed) === version) return installed
  const folder = join(store, `${nameOf(place).replace('/', '+')}@${version}`)
  if (!existsSync(join(folder, 'package/package.json'))) fetchInto(folder, `${nameOf(place)}@${version}`)
  return join(folder, 'package')
}

const versionIn = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version

function fetchInto(folder, spec) {
  mkdirSync(folder, { recursive: true })
  // npm compares what it gets with the checksum that the registry tells.
  const options = ['--pack-destination', folder, '--loglevel=error', '--json']
  const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', spec, ...options], { cwd: folder, encoding: 'utf8' }))
  execFileSync('tar', ['-xzf', join(folder, filename.replace('@', '').replace('/', '-')), '-C', folder])
}
