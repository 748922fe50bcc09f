// `npm run check`: format, lint, types and unused code, in about 20 seconds. `npm test` runs the same, and then the tests.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './prepare.mjs'

/** Two at a time: each of them uses more than one processor. */
const pairs = [
  [
    { name: 'format and lint', program: 'biome', args: ['check', '--error-on-warnings', '.'] },
    { name: 'types of the server', program: 'tsc', args: ['-p', 'tsconfig.json'] },
  ],
  [
    { name: 'types of the client', program: 'tsc', args: ['-p', 'web/tsconfig.json'] },
    { name: 'types of the client build', program: 'tsc', args: ['-p', 'web/tsconfig.node.json'] },
  ],
  [
    { name: 'types of the browser tests', program: 'tsc', args: ['-p', 'e2e/tsconfig.json'] },
    { name: 'unused code', program: 'knip', args: ['--no-progress'] },
  ],
]

/** Runs all checks and tells of each whether it passed. */
export async function checkCode(tell) {
  for (const pair of pairs) await Promise.all(pair.map(async (check) => tell(check.name, await passes(check))))
}

function passes({ program, args }) {
  return new Promise((resolve) => {
    const child = spawn(join(root, 'node_modules/.bin', program), args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (piece) => {
        output += piece
      })
    child.on('error', (error) => {
      output += error.message
    })
    child.on('close', (code) => {
      if (code !== 0) console.log(output)
      resolve(code === 0)
    })
  })
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  await checkCode((name, isFine) => {
    console.log(`${isFine ? 'ok  ' : 'FAIL'} ${name}`)
    if (!isFine) process.exitCode = 1
  })
