// Writes `.br`, `.gz` and, where Node can, `.zst` beside every file of a folder that gains from it.
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
// A named import of zstd would not even load on a Node that has none.
import zlib from 'node:zlib'

const compressible = new Set(['.css', '.html', '.js', '.json', '.mjs', '.svg', '.txt', '.wasm', '.xml'])
const minimumBytes = 1024

const kinds = {
  br: promisify(zlib.brotliCompress),
  gz: (content) => promisify(zlib.gzip)(content, { level: 9 }),
  ...(typeof zlib.zstdCompress === 'function' && {
    zst: (content) =>
      promisify(zlib.zstdCompress)(content, { params: { [zlib.constants.ZSTD_c_compressionLevel]: 19 } }),
  }),
}

const [folder] = process.argv.slice(2)
const files = (await readdir(folder, { recursive: true })).filter(isCompressible)
await Promise.all(files.map((file) => compressFile(join(folder, file))))

/** The page itself is rewritten by the server for every installation: a compressed copy would never be sent. */
function isCompressible(file) {
  return file !== 'index.html' && compressible.has(extname(file))
}

async function compressFile(file) {
  const content = await readFile(file)
  if (content.length <= minimumBytes) return
  await Promise.all(
    Object.entries(kinds).map(async ([end, compress]) => {
      // Renamed when it is whole: a server that starts meanwhile must not send half of it.
      const part = `${file}.${end}.part`
      await writeFile(part, await compress(content))
      await rename(part, `${file}.${end}`)
    }),
  )
}
