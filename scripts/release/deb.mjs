import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../prepare.mjs'
import { pack, sourceDate } from './archives.mjs'
import { places } from './places.mjs'

const architectures = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' }

/** A package for Debian and Ubuntu of the folder of a release; undefined for targets that have none. */
export function makeDeb(out, folder, target, { version, light = false }) {
  const architecture = architectures[target.name]
  if (architecture === undefined) return undefined
  const name = `filestead_${version}_${architecture}.deb`
  const tree = join(out, '.deb')
  rmSync(tree, { recursive: true, force: true })
  const at = (path) => {
    const place = join(tree, 'data', path)
    mkdirSync(dirname(place), { recursive: true })
    return place
  }
  const release = join(out, folder)
  for (const part of ['filestead', 'lib'])
    cpSync(join(release, part), at(`usr/lib/filestead/${part}`), { recursive: true })
  symlinkSync('../lib/filestead/filestead', at('usr/bin/filestead'))
  for (const part of ['README.md', 'CHANGELOG.md', 'docs', 'packaging', 'sbom.cdx.json'])
    cpSync(join(release, part), at(`usr/share/doc/filestead/${part}`), { recursive: true })
  const licences = ['LICENSE', 'THIRD-PARTY-LICENSES.txt'].map((file) => readFileSync(join(release, file), 'utf8'))
  writeFileSync(at('usr/share/doc/filestead/copyright'), licences.join('\n'))
  writeFileSync(at('usr/lib/systemd/system/filestead.service'), unit())
  cpSync(join(root, 'packaging/deb/environment'), at('etc/filestead/environment'))

  const control = join(tree, 'control')
  mkdirSync(control)
  for (const script of ['postinst', 'prerm', 'postrm']) {
    cpSync(join(root, 'packaging/deb', script), join(control, script))
    chmodSync(join(control, script), 0o755)
  }
  writeFileSync(join(control, 'conffiles'), '/etc/filestead/environment\n')
  const size = Math.ceil(sizeOf(join(tree, 'data')) / 1024)
  writeFileSync(join(control, 'control'), controlOf({ version, architecture, size }))
  pack(join(tree, 'control.tar.gz'), control, ['.'], { light })
  pack(join(tree, 'data.tar.gz'), join(tree, 'data'), ['.'], { light })
  writeFileSync(join(tree, 'debian-binary'), '2.0\n')
  writeArchive(join(out, name), tree, ['debian-binary', 'control.tar.gz', 'data.tar.gz'])
  rmSync(tree, { recursive: true })
  return name
}

/** The unit of the manual with the places of the package. */
function unit() {
  const text = readFileSync(join(root, 'packaging/systemd/filestead.service'), 'utf8')
  return text
    .replace(/^(#.*\n)+/, '# Change it with: systemctl edit filestead\n')
    .replaceAll('/opt/filestead/filestead', '/usr/lib/filestead/filestead')
    .replaceAll('file:///opt/filestead', 'file:///usr/share/doc/filestead')
}

const controlOf = ({ version, architecture, size }) => `Package: filestead
Version: ${version}
Architecture: ${architecture}
Maintainer: ${places.maintainer}
Homepage: ${places.repository}
Installed-Size: ${size}
Depends: libc6 (>= 2.17), passwd
Suggests: ffmpeg
Section: web
Priority: optional
Description: self-hosted web file manager
 Browse, find, read, edit, upload, download and share the files of a server in a
 browser. The successor of File Browser, whose database it takes over.
`

function sizeOf(path) {
  const stat = lstatSync(path)
  return stat.isDirectory() ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0) : stat.size
}

/** The `ar` format: a line of 60 characters before each file, which starts at an even place. */
function writeArchive(file, folder, names) {
  const date = sourceDate()
  const parts = names.flatMap((name) => {
    const content = readFileSync(join(folder, name))
    const fields = [name.padEnd(16), date.padEnd(12), '0'.padEnd(6), '0'.padEnd(6), '100644'.padEnd(8)]
    const head = `${fields.join('')}${String(content.length).padEnd(10)}\`\n`
    return [Buffer.from(head), content, Buffer.alloc(content.length % 2, '\n')]
  })
  writeFileSync(file, Buffer.concat([Buffer.from('!<arch>\n'), ...parts]))
}
