// `npm run manual`: writes the tables of options into every page that has a place for them.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './prepare.mjs'
import { runtime } from './runtime.mjs'

const pages = ['docs/operating/configuration.md']

if (process.versions.bun === undefined) {
  const { status } = spawnSync(runtime(), ['--config=/dev/null', fileURLToPath(import.meta.url)], { stdio: 'inherit' })
  process.exit(status ?? 1)
}
const { withOptionTables } = await import('../server/src/cli/manual.ts')
for (const page of pages.map((name) => join(root, name))) {
  const before = readFileSync(page, 'utf8')
  const after = withOptionTables(before)
  if (after !== before) writeFileSync(page, after)
}
