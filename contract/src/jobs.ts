import { z } from 'zod'
import { checksumAlgorithms } from './checksums.ts'
import { conflictChoices, jobActions, jobKinds, jobStates, mostJobItems, packFormats } from './job-words.ts'

const Choice = z.enum(conflictChoices)

const Path = z.string().describe('a path, not percent-encoded')
const items = <Item extends z.ZodType>(item: Item) => z.array(item).min(1).max(mostJobItems)
const OnConflict = Choice.or(z.literal('ask')).default('ask')
const Choices = z
  .record(z.string(), Choice)
  .optional()
  .describe('by the path at the target: what happens there, instead of `onConflict`')

/** An entry that is copied or moved, and the path it shall have. */
export const TransferItem = z.object({ from: Path, to: Path })

/** What comes back: `past` as of a kept item or a snapshot, the path it had then, and the path it shall have. */
export const RestoreItem = z.object({ past: z.string(), from: Path, to: Path })

const asked = {
  id: z
    .string()
    .regex(/^[0-9A-Za-z-]{16,64}$/)
    .optional()
    .describe('of the sender: a request that is sent again with it begins nothing twice'),
}

export const JobRequest = z.discriminatedUnion('kind', [
  z.object({
    ...asked,
    kind: z.enum(['copy', 'move']),
    items: items(TransferItem),
    onConflict: OnConflict,
    choices: Choices,
  }),
  z.object({
    ...asked,
    kind: z.literal('delete'),
    items: items(Path),
    forGood: z.boolean().optional().describe('nothing of it is kept'),
  }),
  z.object({
    ...asked,
    kind: z.literal('compress'),
    items: items(Path),
    to: Path.describe('the archive'),
    format: z.enum(packFormats),
    onConflict: OnConflict,
  }),
  z.object({
    ...asked,
    kind: z.literal('extract'),
    from: Path.describe('the archive'),
    to: Path.describe('the folder that gets what is in it'),
    inside: z.array(z.string()).max(mostJobItems).optional().describe('only these paths of the archive'),
    encoding: z.string().optional().describe('of names that do not say theirs'),
    onConflict: OnConflict,
  }),
  z.object({
    ...asked,
    kind: z.literal('checksum'),
    items: items(Path),
    to: Path.describe('the file with one line for each checksum'),
    algorithm: z.enum(checksumAlgorithms),
    onConflict: OnConflict,
  }),
  z.object({
    ...asked,
    kind: z.literal('restore'),
    items: items(RestoreItem),
    onConflict: OnConflict,
    choices: Choices,
  }),
  z.object({
    ...asked,
    kind: z.literal('purge'),
    ids: z.array(z.string()).max(mostJobItems).optional().describe('of kept items; without it all that the caller may'),
    below: Path.optional().describe('only what was in this folder'),
  }),
  z.object({ ...asked, kind: z.literal('undo'), operation: z.string() }),
])
export type JobRequest = z.infer<typeof JobRequest>

/** One end of a conflict. */
const Side = z.object({ isDir: z.boolean(), size: z.number(), modified: z.string() })

/** A name that is taken: of an entry itself, or of a file below a folder that is merged with another one. */
export const JobConflict = z.object({ from: z.string(), to: z.string(), source: Side, target: Side })
export type JobConflict = z.infer<typeof JobConflict>

/** Which of these names are taken? Asked before the first byte. */
export const ConflictsRequest = z.object({ items: items(TransferItem) })
export type ConflictsRequest = z.infer<typeof ConflictsRequest>
export const Conflicts = z.object({
  conflicts: z.array(JobConflict),
  /** Files that are there already, with the same size and time. */
  identical: z.number().int(),
  /** There are more than can be told one by one. */
  isCut: z.boolean(),
})
export type Conflicts = z.infer<typeof Conflicts>

const Amount = z.object({ files: z.number().int(), bytes: z.number() })

const ItemProblem = z.object({ path: z.string(), code: z.string(), message: z.string() })

export const Job = z.object({
  id: z.string(),
  kind: z.enum(jobKinds),
  state: z.enum(jobStates),
  /** For administrators, of jobs of others. */
  owner: z.object({ id: z.number().int(), name: z.string() }).optional(),
  /** The names of the first few entries, and how many there are. */
  names: z.array(z.string()),
  count: z.number().int(),
  /** The folder that they lie in; absent where there are several. */
  from: z.string().optional(),
  /** The folder or file that it makes or fills. */
  to: z.string().optional(),
  /** Entries that are finished, of `count`. */
  finished: z.number().int(),
  done: Amount,
  /** Absent until it is counted. */
  total: Amount.optional(),
  /** In bytes a second, over the last five seconds. */
  rate: z.number().optional(),
  secondsLeft: z.number().optional(),
  /** The file at work. */
  current: z.string().optional(),
  /** What keeps it from going on, or made it fail. */
  problem: z.object({ code: z.string(), message: z.string() }).optional(),
  /** Entries that could not be done, the first hundred. */
  failures: z.array(ItemProblem),
  /** Names that wait for an answer, the first thousand. */
  conflicts: z.array(JobConflict),
  /** Where entries are now that did not get the name that was asked for. */
  renamed: z.array(TransferItem),
  /** Entries that were left out, because their name was taken. */
  skipped: z.number().int(),
  /** Symlinks and special files inside of folders that a storage cannot have: how many, and the first hundred. */
  leftOut: z.object({ count: z.number().int(), paths: z.array(z.string()) }).optional(),
  createdAt: z.number(),
  startedAt: z.number().optional(),
  endedAt: z.number().optional(),
})
export type Job = z.infer<typeof Job>

export const JobChange = z.object({
  action: z.enum(jobActions).optional(),
  /** By the path at the target. */
  choices: z.record(z.string(), Choice).optional(),
  /** For all that waits for an answer, and what may come. */
  forAll: Choice.optional(),
})
export type JobChange = z.infer<typeof JobChange>
