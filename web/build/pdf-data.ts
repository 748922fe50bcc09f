import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'

const folders = ['cmaps', 'standard_fonts', 'wasm']

/** What the PDF viewer fetches by name: fonts, character maps and decoders, under a name that changes with them. */
export function pdfData(): Plugin {
  return {
    name: 'pdf-data',
    apply: 'build',
    async generateBundle() {
      const manifest = createRequire(import.meta.url).resolve('pdfjs-dist/package.json')
      const { version } = JSON.parse(await readFile(manifest, 'utf8'))
      for (const folder of folders) {
        for (const name of await readdir(join(dirname(manifest), folder))) {
          const source = await readFile(join(dirname(manifest), folder, name))
          this.emitFile({ type: 'asset', fileName: `assets/pdf-${version}/${folder}/${name}`, source })
        }
      }
    },
  }
}
