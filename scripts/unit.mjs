// `npm run unit -- server/src/storage`: tests without a browser, those below a folder or in a file, or all of them. What
// follows the paths is for the runner: `-t 'part of a title'`.
import { spawnSync } from 'node:child_process'
import { root } from './prepare.mjs'
import { runtime } from './runtime.mjs'

const given = process.argv.slice(2)
const isFlag = given.findIndex((word) => word.startsWith('-'))
const flags = isFlag === -1 ? [] : given.slice(isFlag)
const named = given.slice(0, given.length - flags.length)
// A name without a dot before it would be a pattern, which also finds browser tests.
const paths = (named.length > 0 ? named : ['contract', 'server', 'web', 'bench']).map((path) =>
  /^\.{0,2}\//.test(path) ? path : `./${path}`,
)
const { status } = spawnSync(runtime(), ['test', '--isolate', '--timeout=120000', ...paths, ...flags], {
  cwd: root,
  stdio: 'inherit',
})
process.exit(status ?? 1)
