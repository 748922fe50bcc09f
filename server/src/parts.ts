import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Where the parts of the program lie that it opens by name. A release keeps them elsewhere, and is built with another
// version of this file: scripts/release/bundle.mjs.

const root = join(import.meta.dirname, '../..')

/** The built client. */
export const clientFolder: string = join(root, 'web/dist')

export const storageThread: string | URL = new URL('./storage/threads/worker.ts', import.meta.url)

export const packingWorker: string | URL = new URL('./archives/codecs/packing-worker.ts', import.meta.url)

export const digestWorker: string | URL = new URL('./storage/disk/digest-worker.ts', import.meta.url)

export const keyWorker: string | URL = new URL('./storage/sftp/key-worker.ts', import.meta.url)

export const commonPasswordsWorker: string | URL = new URL('./users/common-passwords-worker.ts', import.meta.url)

export const logWorker: string | URL = new URL('./database/sqlite/log-worker.ts', import.meta.url)

/** What a serving process of several is started by. */
export const serverCommand: readonly string[] = [
  process.execPath,
  '--config=/dev/null',
  '--no-env-file',
  fileURLToPath(new URL('./main.ts', import.meta.url)),
]

/** Programs of their own, started by programs/confined.ts. */
export const launcherProgram: string = fileURLToPath(new URL('./programs/launcher.ts', import.meta.url))
export const decoderProgram: string = fileURLToPath(new URL('./previews/decoder/decoder.ts', import.meta.url))

/** All that those two load. */
export const codeFolders: readonly string[] = [join(root, 'node_modules'), import.meta.dirname]
