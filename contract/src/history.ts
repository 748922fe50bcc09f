import { z } from 'zod'
import {
  keepCauses,
  keepStores,
  momentKinds,
  operationKinds,
  snapshotModes,
  trashModes,
  undoRefusals,
} from './history-words.ts'

/** What a mount keeps of what is displaced in it, and where older states of it are found. */
export const MountHistory = z.object({
  trash: z.enum(trashModes),
  /** What was kept longer goes; 0: it stays. */
  trashDays: z.number().int().min(0).max(3650),
  /** In percent of the size of the disk: beyond it the oldest goes. */
  trashShare: z.number().int().min(1).max(100),
  versions: z.boolean(),
  /** What was kept longer goes; 0: it is thinned out, and stays. */
  versionDays: z.number().int().min(0).max(3650),
  /** In percent of what is free on the disk: beyond it the oldest goes. */
  versionShare: z.number().int().min(1).max(100),
  snapshots: z.enum(snapshotModes),
  /** With 'own': the folder that holds the snapshots, a full path or one from the root of the mount. */
  snapshotFolder: z.string().max(1000),
  /** With 'own': what they are called, with the fields of strftime: 'auto-%Y-%m-%d_%H-%M'. */
  snapshotPattern: z.string().max(200),
  /** With 'own': the path from a snapshot to the root of the mount, often empty. */
  snapshotInside: z.string().max(1000),
  /** Their names tell local time, not UTC. */
  snapshotIsLocal: z.boolean(),
})
export type MountHistory = z.infer<typeof MountHistory>

/** Where older states of a mount were found, for administrators. */
export const FoundSnapshots = z.object({
  sources: z.array(
    z.object({
      /** The program or file system that makes them: 'zfs', 'snapper' and so on, or 'own'. */
      source: z.string(),
      /** A full path of the server. */
      folder: z.string(),
      count: z.number().int(),
      /** In milliseconds since 1970. */
      newest: z.number(),
      oldest: z.number(),
    }),
  ),
  /** Why there are none, in a sentence. */
  problem: z.string().optional(),
})
export type FoundSnapshots = z.infer<typeof FoundSnapshots>

const Who = z.object({ id: z.number().int(), name: z.string() })

/** A thing that lost its place and is kept: in the trash, or as an older version. */
export const KeptItem = z.object({
  id: z.string(),
  /** For the query `past` of all that reads: its contents, by the path that it had. */
  past: z.string(),
  store: z.enum(keepStores),
  /** Where it was, as the caller sees paths. */
  path: z.string(),
  name: z.string(),
  isDir: z.boolean(),
  /** The type of a file, as in listings. */
  type: z.string(),
  /** Of a folder with all it holds; absent until it is measured. */
  size: z.number().optional(),
  /** When the content was last changed. */
  modified: z.string(),
  /** In milliseconds since 1970. */
  keptAt: z.number(),
  user: Who.optional(),
  door: z.string(),
  by: z.enum(keepCauses),
  /** When it goes by itself, in milliseconds since 1970; absent where it stays. */
  endsAt: z.number().optional(),
  canRestore: z.boolean(),
  canPurge: z.boolean(),
})
export type KeptItem = z.infer<typeof KeptItem>

/** `?query=` looks for names, `?below=` for a folder, `?before=` goes on after the last item of the page before. */
export const TrashQuery = z.object({
  query: z.string().max(1000).optional(),
  below: z.string().optional(),
  before: z.string().optional(),
})
export const Trash = z.object({
  items: z.array(KeptItem),
  /** For the next page; absent on the last one. */
  next: z.string().optional(),
  /** Some mount that the caller sees keeps what is removed. */
  isOn: z.boolean(),
})
export type Trash = z.infer<typeof Trash>

/** One state of a file or folder. */
export const Moment = z.object({
  kind: z.enum(momentKinds),
  /** For the query `past`; absent for what is there now. */
  past: z.string().optional(),
  /** Of a kept item. */
  id: z.string().optional(),
  /** From when this was the content, as far as it is known, in milliseconds since 1970. */
  at: z.number(),
  /** When it lost its place. */
  keptAt: z.number().optional(),
  isDir: z.boolean(),
  size: z.number().optional(),
  modified: z.string(),
  type: z.string(),
  /** The name of a snapshot. */
  label: z.string().optional(),
  user: Who.optional(),
  door: z.string().optional(),
  by: z.enum(keepCauses).optional(),
  canRestore: z.boolean(),
})
export type Moment = z.infer<typeof Moment>

/** All states of one path, the newest first. */
export const Timeline = z.object({ path: z.string(), moments: z.array(Moment), isCut: z.boolean() })
export type Timeline = z.infer<typeof Timeline>

/** A folder as it was at a time: each entry with the state that it had then. */
export const FolderAtQuery = z.object({ at: z.coerce.number() })
export const FolderAt = z.object({
  path: z.string(),
  at: z.number(),
  entries: z.array(
    z.object({
      name: z.string(),
      path: z.string(),
      isDir: z.boolean(),
      size: z.number().optional(),
      modified: z.string(),
      type: z.string(),
      kind: z.enum(momentKinds),
      /** Where its content of that time is; absent where it is what is there now. */
      past: z.string().optional(),
      id: z.string().optional(),
    }),
  ),
  /** The times at which something in the folder changed, the newest first: where a slider stops. */
  stops: z.array(z.number()),
  isCut: z.boolean(),
})
export type FolderAt = z.infer<typeof FolderAt>

/** Something that the caller did in the last day, in one act. */
export const Operation = z.object({
  id: z.string(),
  kind: z.enum(operationKinds),
  /** Of an undo: what kind of operation it took back. */
  undid: z.enum(operationKinds).optional(),
  names: z.array(z.string()),
  count: z.number().int(),
  /** The folder of the entries, and where they came to, as the caller sees paths. */
  from: z.string().optional(),
  to: z.string().optional(),
  /** Of moves that left every entry in its folder: the name that the first of `names` got. */
  renamedTo: z.string().optional(),
  /** In milliseconds since 1970. */
  at: z.number(),
  canUndo: z.boolean(),
  why: z.enum(undoRefusals).optional(),
})
export type Operation = z.infer<typeof Operation>
export const Operations = z.array(Operation)
