import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { plugin } from 'bun'
import { prepared } from './prepared.ts'

// Loaded before every file of tests. Nothing here changes what is tested, only what it costs.

// On purpose a hash takes a twentieth of a second, and tests make and check thousands.
const { hash } = Bun.password
Bun.password.hash = (password, strength) =>
  hash(
    password,
    typeof strength === 'object' && strength.algorithm === 'argon2id'
      ? { ...strength, memoryCost: 8, timeCost: 1 }
      : strength,
  )

// Four threads of a server each translate a hundred source files at their start. In one file, as in a built server, that
// takes a quarter of the time.
const parts = /server\/src\/parts\.ts$/
const thread = './storage/threads/worker.ts'

plugin({
  name: 'storage threads from one file',
  setup(build) {
    build.onLoad({ filter: parts }, async ({ path }) => {
      const source = await located(path)
      const file = await prepared('storage-thread.mjs', (place) =>
        bundleThread(join(dirname(path), thread), place, source),
      )
      return { loader: 'ts', contents: source.replace(addressOf(path, thread), addressOf(file)) }
    })
  },
})

async function bundleThread(entry: string, place: string, source: string): Promise<void> {
  const { outputs } = await Bun.build({
    target: 'bun',
    entrypoints: [entry],
    plugins: [
      {
        name: 'parts',
        setup(build) {
          build.onLoad({ filter: parts }, () => ({ loader: 'ts', contents: source }))
        },
      },
    ],
  })
  for (const output of outputs) await Bun.write(place, output)
}

/** The source of parts.ts, for any folder. */
const located = async (path: string): Promise<string> =>
  (await readFile(path, 'utf8'))
    .replaceAll(/new URL\('([^']+)', import\.meta\.url\)/g, (_, file: string) => addressOf(path, file))
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))

const addressOf = (path: string, file = ''): string =>
  `new URL('${pathToFileURL(file === '' ? path : join(dirname(path), file)).href}')`
