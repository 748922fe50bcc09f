import { hiddenFor, rebase, rootPath, type VirtualPath } from '../storage/path.ts'
import type { FilledEntry, OpenDraft } from '../storage/port.ts'
import type { Lookup } from './lookup.ts'
import type { Scope } from './scope.ts'

/** A hidden folder that is filled, and shows when it is published. Paths are those below the folder that it becomes. */
export interface Filling {
  /** Folders and small files. What an earlier try has left of them gives way. */
  put(entries: readonly FilledEntry[]): Promise<void>
  /** A file that grows, from where an earlier try of this `part` has come to; its `commit` puts it in its place. */
  openFile(path: VirtualPath, part: string, length: number): Promise<OpenDraft>
  /** Waits until all of it is safe. */
  secure(): Promise<void>
}

export interface FillingOptions {
  /** The hidden folder lies in the folder that gets its contents, and not beside it. */
  inside: boolean
}

/** Asks for the right at each place that something will have. */
export const fillingIn =
  ({ storage, look, placeOf, resolve, meant, persistently }: Lookup): Scope['filling'] =>
  (to, id, { inside }) =>
    persistently(async () => {
      const place = inside
        ? look(await resolve(await meant(look(to, 'create'))), 'create')
        : await placeOf(to, 'create')
      const hidden = hiddenFor(place, id, inside)
      await storage.createFolder(hidden)
      const within = storage.beneath(hidden)
      const require = (path: VirtualPath) => {
        for (const folder of new Set([to, place])) look(rebase(folder, path), 'create')
      }
      return {
        async put(entries) {
          for (const { path } of entries) require(path)
          await within.fill(rootPath, entries)
        },
        async openFile(path, part, length) {
          require(path)
          await within.beginDraft(path, part, { precondition: 'any', length })
          return within.openDraft(path, part)
        },
        secure: () => within.secure(rootPath),
      }
    })
