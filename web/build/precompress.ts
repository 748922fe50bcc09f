import { readdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
// A named import of zstd would not even load on a Node that has none.
import * as zlib from 'node:zlib'
import type { Plugin } from 'vite'

const compressible = new Set(['.css', '.html', '.js', '.json', '.mjs', '.svg', '.txt', '.wasm', '.xml'])
const minimumBytes = 1024

/** Writes `.br`, `.gz` and, where Node can, `.zst` beside every built file that gains from it. */
export function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    async writeBundle({ dir }) {
      if (dir === undefined) return
      const files = await readdir(dir, { recursive: true })
      await Promise.all(files.filter(isCompressible).map((file) => compressFile(join(dir, file))))
    },
  }
}

/** The page itself is rewritten by the server for every installation: a compressed copy would never be sent. */
function isCompressible(file: string): boolean {
  return file !== 'index.html' && compressible.has(extname(file))
}

async function compressFile(file: string): Promise<void> {
  const content = await readFile(file)
  if (content.length <= minimumBytes) return
  const copies = [
    writeFile(`${file}.br`, zlib.brotliCompressSync(content)),
    writeFile(`${file}.gz`, zlib.gzipSync(content, { level: 9 })),
  ]
  if (typeof zlib.zstdCompressSync === 'function') copies.push(writeFile(`${file}.zst`, compressZstd(content)))
  await Promise.all(copies)
}

const compressZstd = (content: Buffer) =>
  zlib.zstdCompressSync(content, { params: { [zlib.constants.ZSTD_c_compressionLevel]: 19 } })
