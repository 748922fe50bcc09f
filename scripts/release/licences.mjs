import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { entryOf, nameOf, packagesFor, readLock } from './packages.mjs'
import { targets } from './targets.mjs'

/** Licences that ask for no more than to be named, or that Apache-2.0 goes together with. */
const allowed = new Set([
  ...[
    '0BSD',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'BlueOak-1.0.0',
    'CC0-1.0',
    'ISC',
    'MIT',
    'Unlicense',
    'Zlib',
  ],
  'bzip2-1.0.6',
])

/** Exceptions, each with its reason. */
const exceptions = {
  // A library of its own beside the executable, which a user may replace, as the licence demands.
  '@img/sharp-libvips': 'LGPL-3.0-or-later',
}

/** Packages whose licence stands only in a file or in their readme. */
const saidElsewhere = {
  'combine-errors@3.0.3': 'MIT',
  'ssh2@1.17.0': 'MIT',
  'cpu-features@0.0.10': 'MIT',
  'buildcheck@0.0.7': 'MIT',
}

export const licenceOf = (place, { version, license }) => license ?? saidElsewhere[`${nameOf(place)}@${version}`] ?? ''

/** Shipped packages of any platform whose licence is not on the list. */
export function refusedLicences(lock = readLock()) {
  const places = new Set(targets.flatMap((target) => packagesFor(target, lock).shipped))
  return [...places]
    .map((place) => [place, licenceOf(place, entryOf(place, lock))])
    .filter(([place, licence]) => !mayShip(place, licence))
    .map(([place, licence]) => `${nameOf(place)}: ${licence || 'no licence'}`)
}

function mayShip(place, licence) {
  const isException = Object.entries(exceptions).some(
    ([name, known]) => nameOf(place).startsWith(name) && licence === known,
  )
  return isException || isAllowed(licence)
}

/** An expression as SPDX writes it, without nesting: one of several, or several together. */
export function isAllowed(licence) {
  const words = licence.replace(/[()]/g, '')
  if (words.includes(' OR ')) return words.split(' OR ').some(isAllowed)
  return words.split(' AND ').every((name) => allowed.has(name.trim()))
}

/** The texts of all licences in one file; the same text is told once. */
export function licenceText(packages) {
  const byText = new Map()
  for (const one of packages) {
    const text = textIn(one.folder) ?? `Licence: ${licenceOf(one.place, one.entry)}`
    byText.set(text, [...(byText.get(text) ?? []), one])
  }
  const parts = [...byText].map(([text, group]) => {
    const names = group.map(({ place, entry }) => `${nameOf(place)} ${entry.version} (${licenceOf(place, entry)})`)
    return `${names.join('\n')}\n\n${text.trim()}\n`
  })
  return [preface, ...parts].join(`\n${'-'.repeat(80)}\n\n`)
}

function textIn(folder) {
  const names = readdirSync(folder)
  const files = names.filter((name) => /^(licen[cs]e|copying|notice)/i.test(name)).sort()
  if (files.length > 0) return files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n')
  const readme = names.find((name) => /^readme/i.test(name))
  const text = readme === undefined ? '' : readFileSync(join(folder, readme), 'utf8')
  return /^#+ *licen[cs].*/ims.exec(text)?.[0]
}

const preface = `Filestead contains the work of others. This file names it, with the licences under which it may be used.

The executable contains Bun (https://bun.com, MIT), and with it JavaScriptCore of the WebKit project, parts of which are
under the GNU LGPL version 2. Bun's sources, with instructions to build it with a changed JavaScriptCore, are at
https://github.com/oven-sh/bun; the script that is put into it can be had by building Filestead from its own sources.
libvips and the libraries in it lie beside the executable as a shared library, which may be replaced.
`
