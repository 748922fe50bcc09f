// `npm run build`: a release in release/, one folder and one archive for this platform; `-- --all` also for the others.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { prepare, root } from './prepare.mjs'
import { compile, copyPackage } from './release/compile.mjs'
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
  },
})
const out = resolve(wishes.out)
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const lock = readLock()

if (!wishes['as-it-is']) prepare()
mkdirSync(out, { recursive: true })
const sums = []
const wanted = targets.filter(({ name }) => wishes.all || name === wishes.target)
if (wanted.length === 0) throw new Error(`--target is one of ${targets.map(({ name }) => name).join(', ')}`)
for (const target of wanted) {
  const archive = release(target)
  sums.push(
    `${createHash('sha256')
      .update(readFileSync(join(out, archive)))
      .digest('hex')}  ${archive}\n`,
  )
  console.log(join(out, archive))
}
writeFileSync(join(out, 'SHA256SUMS'), sums.join(''))

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
  for (const name of ['LICENSE', 'README.md', 'CHANGELOG.md', 'packaging', 'docs/operating', 'docs/compatibility.md'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
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
  pack(name)
  return `${name}.tar.gz`
}

/** The same files make the same archive, for every user and at every time. */
function pack(name) {
  const owner = [
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--sort=name',
    `--mtime=@${process.env.SOURCE_DATE_EPOCH ?? 0}`,
  ]
  execFileSync('tar', ['-czf', `${name}.tar.gz`, ...owner, name], { cwd: out })
}
