import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../prepare.mjs'
import { sumOf } from './archives.mjs'
import { places } from './places.mjs'

/** Packages of other systems, with this version, its checksums and our addresses in the place of @NAMES@. */
export function writeChannels(out, { version, folder }) {
  const sum = (name) => (existsSync(join(folder, name)) ? sumOf(join(folder, name)) : 'not-built')
  const values = {
    VERSION: version,
    REPOSITORY: places.repository,
    RELEASES: places.releases,
    IMAGE: places.image,
    MAINTAINER: places.maintainer,
    SUM_X64: sum(`filestead-${version}-linux-x64.tar.gz`),
    SUM_BASELINE: sum(`filestead-${version}-linux-x64-baseline-unproven.tar.gz`),
    SUM_ARM64: sum(`filestead-${version}-linux-arm64-unproven.tar.gz`),
  }
  const source = join(root, 'packaging/channels')
  rmSync(out, { recursive: true, force: true })
  for (const name of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    const stat = statSync(join(source, name))
    if (!stat.isFile()) continue
    mkdirSync(dirname(join(out, name)), { recursive: true })
    const text = readFileSync(join(source, name), 'utf8')
    writeFileSync(
      join(out, name),
      text.replaceAll(/@([A-Z0-9_]+)@/g, (whole, key) => values[key] ?? whole),
      { mode: stat.mode },
    )
  }
}
