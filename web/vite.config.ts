import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { bookSandbox } from './build/book-sandbox.ts'
import { chunkGroups } from './build/chunks.ts'
import { classNames } from './build/class-names.ts'
import { pdfData } from './build/pdf-data.ts'
import { preloads } from './build/preloads.ts'
import { texts } from './build/texts.ts'

export default defineConfig({
  // The server decides under which URL the files live, so nothing in the build may name one.
  base: './',
  plugins: [react(), bookSandbox(), pdfData(), texts(), preloads()],
  css: { modules: { generateScopedName: classNames() } },
  build: {
    outDir: 'dist',
    assetsDir: 'assets',
    emptyOutDir: true,
    manifest: false,
    // The first versions with light-dark(). For older ones the compiler would replace it by media queries,
    // and a theme could no longer be chosen with color-scheme alone.
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups: chunkGroups() } } },
  },
})
