import { createHash } from 'node:crypto'
import { licenceOf } from './licences.mjs'
import { nameOf } from './packages.mjs'

/** What is inside, for programs that compare it with lists of known weaknesses: CycloneDX 1.6. */
export function sbomOf({ version, target, lock, shipped, entryOf }) {
  const components = shipped
    .map((place) => componentOf(place, entryOf(place)))
    .sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1))
  const main = {
    'bom-ref': `pkg:generic/filestead@${version}`,
    type: 'application',
    name: 'filestead',
    version,
    licenses: [{ license: { id: lock.packages['']?.license ?? 'Apache-2.0' } }],
    properties: [{ name: 'filestead:target', value: target.name }],
  }
  const sbom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([main, components]))}`,
    version: 1,
    metadata: { component: main },
    components,
    dependencies: [{ ref: main['bom-ref'], dependsOn: components.map((component) => component['bom-ref']) }],
  }
  return `${JSON.stringify(sbom, null, 2)}\n`
}

function componentOf(place, entry) {
  const name = nameOf(place)
  const licence = licenceOf(place, entry)
  const purl = `pkg:npm/${name.replace('@', '%40')}@${entry.version}`
  return {
    'bom-ref': purl,
    type: 'library',
    name,
    version: entry.version,
    purl,
    ...(licence && { licenses: [/ (OR|AND) /.test(licence) ? { expression: licence } : { license: { id: licence } }] }),
    ...(entry.integrity && { hashes: [hashOf(entry.integrity)] }),
  }
}

/** The lock file has them in base64, the format wants them in hexadecimal. */
function hashOf(integrity) {
  const [algorithm, content] = integrity.split('-')
  return { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(content, 'base64').toString('hex') }
}

/** From what is inside, so that the same release has the same number. */
function uuidOf(text) {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
