// Run by Bun: the whole server as one script. What must lie beside the executable is looked up there and nowhere else,
// least of all in the working folder.
const [out, besideFolder, server] = process.argv.slice(2)

/** What the server calls of each; anything else would not be found when the release is built. */
const uses = {
  'bzip2-wasm': ['default'],
  'lzma-native': ['createCompressor'],
  'lz4-napi': ['compressSync'],
  snappy: ['Compressor'],
}

const isBeside = new RegExp(`^(${Object.keys(uses).join('|')})$`)

const located = {
  name: 'located',
  setup(build) {
    build.onResolve({ filter: isBeside }, ({ path }) => ({ path, namespace: 'beside' }))
    build.onLoad({ filter: /.*/, namespace: 'beside' }, ({ path }) => ({ loader: 'js', contents: doorTo(path) }))
    build.onLoad({ filter: /server\/src\/parts\.ts$/ }, () => ({
      loader: 'ts',
      contents: `
        import { dirname, join } from 'node:path'
        export const clientFolder: string = join(import.meta.dirname, 'dist')
        const threads = join(import.meta.dirname, 'threads')
        export const storageThread: string = join(threads, 'storage-thread.mjs')
        export const logWorker: string = join(threads, 'log-worker.mjs')
        export const packingWorker: string = join(threads, 'packing-worker.mjs')
        export const digestWorker: string = join(threads, 'digest-worker.mjs')
        export const keyWorker: string = join(threads, 'key-worker.mjs')
        export const commonPasswordsWorker: string = join(threads, 'common-passwords-worker.mjs')
        export const serverCommand: readonly string[] = [process.execPath]
        const lib = join(dirname(process.execPath), 'lib')
        export const launcherProgram: string = join(lib, 'launcher.mjs')
        export const decoderProgram: string = join(lib, 'decoder.mjs')
        export const codeFolders: readonly string[] = [process.execPath, lib]`,
    }))
  },
}

await write(out, 'main.js', {
  entrypoints: [`${server}/src/main.ts`],
  plugins: [located],
  minify: true,
  // Machine code that ssh2 does without where it is not found.
  external: ['cpu-features'],
})
// A thread of its own needs a file of its own. Those without which nothing works are inside the executable: many scripts
// move it alone into a folder of the path.
const threads = `${out}/threads`
await write(threads, 'storage-thread.mjs', { entrypoints: [`${server}/src/storage/threads/worker.ts`] })
await write(threads, 'log-worker.mjs', { entrypoints: [`${server}/src/database/sqlite/log-worker.ts`] })
await write(threads, 'digest-worker.mjs', { entrypoints: [`${server}/src/storage/disk/digest-worker.ts`] })
await write(threads, 'common-passwords-worker.mjs', {
  entrypoints: [`${server}/src/users/common-passwords-worker.ts`],
})
await write(threads, 'key-worker.mjs', {
  entrypoints: [`${server}/src/storage/sftp/key-worker.ts`],
  external: ['cpu-features'],
})
const packing = `${server}/src/archives/codecs/packing-worker.ts`
await write(threads, 'packing-worker.mjs', { entrypoints: [packing], plugins: [located] })
// So does a program of its own, which the executable runs as the runtime it contains.
await write(besideFolder, 'launcher.mjs', { entrypoints: [`${server}/src/programs/launcher.ts`] })
await write(besideFolder, 'decoder.mjs', {
  entrypoints: [`${server}/src/previews/decoder/decoder.ts`],
  external: ['sharp'],
})

/** Loaded at its first use: a library that does not run on a platform costs one kind of archive. */
function doorTo(name) {
  return [
    `import { createRequire } from 'node:module'
    import { dirname, join } from 'node:path'
    const open = createRequire(join(dirname(process.execPath), 'lib', 'filestead.js'))
    const library = open(${JSON.stringify(name)})`,
    ...uses[name].map((use) =>
      use === 'default' ? 'export default library.default ?? library' : `export const ${use} = library.${use}`,
    ),
  ].join('\n')
}

async function write(folder, name, options) {
  const built = await Bun.build({ target: 'bun', outdir: folder, naming: name, throw: false, ...options })
  for (const message of built.logs) console.error(String(message))
  if (!built.success) process.exit(1)
}
