// `npm run build`: a release in release/, one folder and one archive for this platform; `-- --all` also for the others.
import './node-version.mjs'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { prepare, root } from './prepare.mjs'
import { makeArchives, writeSums } from './release/archives.mjs'
import { writeChannels } from './release/channels.mjs'
import { compile, copyPackage } from './release/compile.mjs'
import { makeDeb } from './release/deb.mjs'
import { folderOf } from './release/fetch.mjs'
import { licenceText } from './release/licences.mjs'
import { entryOf, packagesFor, readLock } from './release/packages.mjs'
import { sbomOf } from './release/sbom.mjs'
import { isProven, provenTarget, targets, unproven } from './release/targets.mjs'

const { values: wishes } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    target: { type: 'string', default: provenTarget.name },
    out: { type: 'string', default: join(root, 'release') },
    // Skips the preparation where it was done before.
    'as-it-is': { type: 'boolean', default: false },
    // Makes no archives.
    'folder-only': { type: 'boolean', default: false },
    // Compresses little and quickly.
    light: { type: 'boolean', default: false },
  },
})
const out = resolve(wishes.out)
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const lock = readLock()
const packaging = ['container', 'proxies', 'systemd'].map((name) => `packaging/${name}`)

if (!wishes['as-it-is']) prepare({ compressed: true })
mkdirSync(out, { recursive: true })
const wanted = targets.filter(({ name }) => wishes.all || name === wishes.target)
if (wanted.length === 0) throw new Error(`--target is one of ${targets.map(({ name }) => name).join(', ')}`)
const made = wanted.flatMap(release)
for (const name of made) console.log(join(out, name))
if (!wishes['folder-only']) {
  writeSums(out, made)
  writeChannels(join(out, 'channels'), { version, folder: out })
}

/** Makes what is released for a target, and returns the names of the files. */
function release(target) {
  const name = `filestead-${version}-${target.name}${isProven(target) ? '' : '-unproven'}`
  const folder = join(out, name)
  const scratch = join(out, '.scratch')
  for (const stale of [folder, scratch]) rmSync(stale, { recursive: true, force: true })
  const { shipped, beside, runtime } = packagesFor(target, lock)
  const store = join(out, '.packages')
  const filesOf = (place) => folderOf(place, entryOf(place, lock), store)

  compile({ folder, scratch, engine: join(filesOf(runtime), 'bin/bun') })
  for (const place of beside) copyPackage(filesOf(place), join(folder, 'lib', place), target)
  for (const name of ['LICENSE', 'CHANGELOG.md', ...packaging, 'docs/operating', 'docs/compatibility.md'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  cpSync(join(root, 'packaging/release/README.md'), join(folder, 'README.md'))
  writeFileSync(
    join(folder, 'THIRD-PARTY-LICENSES.txt'),
    licenceText(shipped.map((place) => ({ place, entry: entryOf(place, lock), folder: filesOf(place) }))),
  )
  writeFileSync(
    join(folder, 'sbom.cdx.json'),
    sbomOf({ version, target, lock, shipped, entryOf: (place) => entryOf(place, lock) }),
  )
  if (!isProven(target)) writeFileSync(join(folder, 'UNPROVEN.txt'), unproven)
  rmSync(scratch, { recursive: true })
  if (wishes['folder-only']) return [name]
  const deb = makeDeb(out, name, target, { version, light: wishes.light })
  return [...makeArchives(out, name, target, { light: wishes.light }), ...(deb === undefined ? [] : [deb])]
}
