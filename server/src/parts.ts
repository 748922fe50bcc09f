import { join } from 'node:path'

// Where the parts of the program lie that it opens by name. A release keeps them elsewhere, and is built with another
// version of this file: scripts/release/bundle.mjs.

/** The built client. */
export const clientFolder: string = join(import.meta.dirname, '../../web/dist')

export const storageThread: string | URL = new URL('./storage/threads/worker.ts', import.meta.url)

export const bzip2Worker: string | URL = new URL('./archives/codecs/bzip2-worker.ts', import.meta.url)

export const logWorker: string | URL = new URL('./database/sqlite/log-worker.ts', import.meta.url)
