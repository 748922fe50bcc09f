// Run by Bun: the server of a clone as a few files, in server/dist. bin/filestead runs them while no source is newer.
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const [server] = process.argv.slice(2)
const source = readFileSync(join(server, 'src/parts.ts'), 'utf8')
/** Threads are started from files of their own. */
const threads = [...source.matchAll(/: string \| URL = new URL\('([^']+)'/g)].map(([, file]) => file)
const nameOf = (file) => `${basename(file, '.ts')}.mjs`

/** What is opened by name: threads lie beside the bundle, all else where the sources are. */
const located = source
  .replace(
    /'([^']+)', import\.meta\.url/g,
    (_, file) => `'${threads.includes(file) ? nameOf(file) : `../src/${file}`}', import.meta.url`,
  )
  .replaceAll('import.meta.dirname', `join(import.meta.dirname, '../src')`)

const built = await Bun.build({
  target: 'bun',
  entrypoints: ['main.ts', ...threads].map((file) => join(server, 'src', file)),
  // Without source maps, which would take 15 MB at rest: a stack names functions.
  outdir: join(server, 'dist'),
  // What only some commands import is in files of its own: a short command starts in half of the time.
  splitting: true,
  naming: { entry: '[name].mjs', chunk: 'chunk-[hash].mjs' },
  // Libraries that bring machine code, which they look for beside themselves, and one that few servers load at all.
  external: ['bzip2-wasm', 'lzma-native', 'lz4-napi', 'snappy', 'ssh2'],
  plugins: [
    {
      name: 'located',
      setup: (build) =>
        build.onLoad({ filter: /server\/src\/parts\.ts$/ }, () => ({ loader: 'ts', contents: located })),
    },
  ],
  throw: false,
})
for (const message of built.logs) console.error(String(message))
if (!built.success) process.exit(1)
