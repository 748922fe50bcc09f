import type { Generated, Insertable } from 'kysely'

/** The rows as they are stored. Flags are 0 or 1 and times Unix seconds, so that every SQL database takes them. */
export interface Database {
  setting: SettingRow
  counter: CounterRow
  node: NodeRow
  message: MessageRow
  user: UserRow
  session: SessionRow
  sign_in: SignInRow
  draft: DraftRow
  leaving: LeavingRow
  remote_draft: RemoteDraftRow
  upload: UploadRow
  attempt: AttemptRow
  share: ShareRow
  change: ChangeRow
  job: JobRow
  job_plan: JobPlanRow
  favourite: FavouriteRow
  mount: MountRow
  kept: KeptRow
  operation: OperationRow
  known_item: KnownItemRow
  circle: CircleRow
  member: MemberRow
  grant: GrantRow
  former_grant: FormerGrantRow
  inherited_user: InheritedUserRow
  inherited_token: InheritedTokenRow
  inherited_share: InheritedShareRow
}

/** One JSON document a name. `version` grows with every change, so a reader knows when to read again. */
export interface SettingRow {
  name: 'settings' | 'server' | 'auth' | 'key' | 'takeover'
  value: string
  version: number
}

/** The last number that was given out, so that none is given twice; see database/counters.ts. 'probe' is written to test writing, and to begin a log anew; 'tables' counts up when servers that had opened the tables before cannot go on with them. */
export interface CounterRow {
  name: 'user' | 'mount' | 'circle' | 'grant' | 'access' | 'message' | 'tables' | 'probe'
  value: number
}

/** A process that works on this database; see nodes/. */
export interface NodeRow {
  id: string
  /** For people. */
  host: string
  /** Which run of which kernel it is on: another one after every boot, the same in all containers of a machine. */
  kernel: string
  /** What shows that it is alive: a lock that the kernel keeps, or `beats` that grow. */
  lease: 'lock' | 'beats'
  /** Later than that of every node that was there before, whatever the clocks say. */
  started_at: number
  /** For people: clocks are not compared. */
  beaten_at: number
  beats: number
  /** Of the program; empty where it was 1.0.1 or older, which did not tell. */
  version: string
}

/** What one node tells or asks the others; see nodes/messages.ts. Of use for a minute. */
export interface MessageRow {
  /** Grows with time. */
  id: number
  /** The node that sent it. */
  sender: string
  /** The node that it is for; null for all. */
  receiver: string | null
  topic: string
  /** The question that it answers. */
  answers: number | null
  /** JSON. */
  body: string
  /** In Unix seconds. */
  at: number
}

export interface UserRow {
  id: number
  username: string
  password_hash: string
  scope: string
  /** JSON: rights and preferences. */
  profile: string
  changed_at: number
}

export interface SessionRow {
  id: string
  user_id: number
  created_at: number
  last_used_at: number
  expires_at: number
  address: string
  user_agent: string
}

/** When a user signed in last. It outlives the session that began then. */
export interface SignInRow {
  user_id: number
  at: number
}

/** A file that is being written; see storage/disk/drafts.ts. */
export interface DraftRow {
  place: string
  target: string | null
  /** The node that is at work on it. */
  owner: string
  /** What stood at `target` when writing into it began. Version 1.0.0 did not note it. */
  device: number | null
  inode: number | null
  /** Its time of birth; empty where the file system tells none. */
  born: string | null
  /** As it was before: its size, and when its content was last changed. */
  size: number | null
  modified: string | null
}

/** A file or folder that is being moved to another disk; see storage/disk/moving-sources.ts. */
export interface LeavingRow {
  /** Where it lies hidden meanwhile. */
  place: string
  original: string
  /** What has not changed since then is safe in its new place; null while it is being copied. */
  arrived_since: number | null
  owner: string
}

/** A file that is being written to a server elsewhere; see storage/remote/. */
export interface RemoteDraftRow {
  mount: number
  /** The path of the file in its mount, as `toStored` spells it. */
  path: string
  id: string
  /** JSON of the adapter: what it needs to go on, on any node. */
  state: string
  /** The node that has it open, and null while none has. */
  holder: string | null
  /** In Unix seconds. */
  saved_at: number
}

/** A file that arrives over many requests; its bytes so far are a kept draft. */
export interface UploadRow {
  id: string
  /** Below zero for a guest. */
  user_id: number
  /** Where the file will be; see mounts/location.ts. */
  location: string
  /** Where that led, links followed, when the upload was begun; it moves with its folder. */
  place: string
  length: number
  override: number
  /** Milliseconds since 1970, as the sender told. */
  modified: number | null
  /** It was announced anew: who sends from the start again may. */
  may_rewind: number
  /** Bytes beyond these have not been checked against their checksum. */
  trusted: number | null
  expires_at: number
  /** As the sender wrote it, to be told again; nothing of it is believed but the time. */
  metadata: string | null
  /** The node that was last at work on it. */
  node: string | null
  /** So many bytes survive a power cut. Null where all of them do. */
  synced: number | null
  /** The run of the kernel that has the others in its memory; see `NodeRow`. */
  kernel: string | null
}

/** Wrong passwords: a count in a row, or a leaky bucket; see access/throttle.ts. */
export interface AttemptRow {
  /** A hash of what was tried and from where. */
  target: string
  /** In a row; 0 for a bucket. */
  failures: number
  last_at: number
  /** Of a bucket: when it will be empty. */
  blocked_until: number
}

/** A public link. */
export interface ShareRow {
  hash: string
  user_id: number
  /** Where the shared file lies; see mounts/location.ts. */
  location: string
  /** 0 never. */
  expires_at: number
  /** Empty for none. */
  password_hash: string
  /** The change that moves or removes its file right now; it shows nothing meanwhile. */
  change_id?: string | null
  /** 1 where a link may stand in the way, so that it may lie elsewhere than at its location. */
  through_link: Generated<number>
  /** What the owner calls the link; may be empty. */
  label: Generated<string>
  /** In Unix seconds; 0 for links from before this was kept. */
  created_at: Generated<number>
}

/** A change that was begun and whose outcome is not stored yet; see changes/journal.ts. */
export interface ChangeRow {
  id: string
  /** The node that is at work on it. */
  node: string
  kind: string
  user_id: number
  username: string
  door: string
  /** See mounts/location.ts. */
  from_location: string | null
  to_location: string | null
  size: number | null
  /** JSON, by the names of followers: what they need to find out what became of it. */
  notes: string
  began_at: number
}

/** What a job was asked to do. Not in its row: SQLite writes all of a row again when a part of it changes. */
export interface JobPlanRow {
  job: string
  /** JSON, with locations instead of paths. Written once, and may be long. */
  plan: string
}

/** Work that goes on after its request; see jobs/. */
export interface JobRow {
  /** Grows with time. */
  id: string
  user_id: number
  kind: string
  /** JSON: what a list of jobs shows of the plan, and the id that the sender gave it. */
  summary: string
  state: string
  /** JSON: what was answered about names that are taken, for all and one by one. */
  choices: string
  /** So many entries of the plan are finished. */
  cursor: number
  /** JSON: what the kind needs to go on where it stopped, and what became of entries that did not go as planned. */
  notes: string
  files_done: number
  bytes_done: number
  /** Null until it is counted. */
  files_total: number | null
  bytes_total: number | null
  /** The code of the failure that stopped it, and its message. */
  problem: string | null
  message: string | null
  /** The node that is at work on it. */
  node: string | null
  created_at: number
  started_at: number | null
  ended_at: number | null
}

export type NewShareRow = Insertable<ShareRow>

/** A user who came from File Browser: tokens from before `taken_at` are good, until one of many reasons ends that. */
export interface InheritedUserRow {
  user_id: number
  taken_at: number
}

/** A token from before the move that has become a session. It never becomes one again. */
export interface InheritedTokenRow {
  session_id: string
  expires_at: number
}

/** A link whose old download addresses carry a token for its whole life. */
export interface InheritedShareRow {
  hash: string
  token_hash: string
}

/** A folder that a user keeps at hand in the sidebar. */
export interface FavouriteRow {
  user_id: number
  /** See mounts/location.ts. */
  location: string
  added_at: number
}

/** A root with a name. */
export interface MountRow {
  /** Part of locations; see mounts/location.ts. Never given twice. */
  id: number
  name: string
  /** A full path of the server. Empty for the first mount, whose folder is `--root`. */
  folder: string
  links: string
  read_only: number
  /** 'root' for the first one, 'stored', or 'config' where the command line or a config file names it. */
  source: string
  /** JSON: what it keeps of what is displaced; what is missing in it is as usual. */
  history: Generated<string>
}

/** A thing that lost its place and is kept; see history/. What lies in the stores on the disk decides: rows are an index. */
export interface KeptRow {
  id: string
  mount: number
  /** 'trash' or 'versions'. */
  store: string
  /** Its path in the mount, in a store that no request can name; as `toStored` spells it. */
  place: string
  /** Where it was; see mounts/location.ts. In a folder that was removed since: below the place of that one. */
  location: string
  /** 'file', 'folder' or another kind of entry. */
  kind: string
  /** Null until a folder is measured. */
  size: number | null
  /** In milliseconds since 1970, as all times here. */
  modified_at: number
  kept_at: number
  user_id: number | null
  username: string
  door: string
  /** What displaced it; see keepCauses. */
  cause: string
  operation: string | null
  /** It was found on the disk without a row: grants that it had are not known, and administrators alone see it, and its user. */
  restricted: Generated<number>
}

/** Something that was done, and can be taken back for a day; see history/. */
export interface OperationRow {
  /** Grows with time. */
  id: string
  /** Operations of one act are taken back together: the job, or what the client says. */
  batch: string
  user_id: number
  door: string
  kind: string
  from_location: string | null
  to_location: string | null
  /** JSON: what it did, in order; empty while it is under way. */
  effects: string
  /** The batch that it took back. */
  undoes: string | null
  /** The batch that took it back. */
  undone_by: string | null
  /** The node that is at work on it; null when it is over. */
  node: string | null
  at: number
}

/** A kept item that an operation needs to be taken back. Some are out of date: what an operation needs, its effects say. */
export interface KnownItemRow {
  /** The location of its place. */
  item: string
  operation: string
}

/** A group of users; GROUP is a word of SQL. */
export interface CircleRow {
  id: number
  name: string
  source: string
}

export interface MemberRow {
  user_id: number
  circle_id: number
}

/** A grant that stood at a place until its folder was moved or removed: snapshots from before are judged by it. */
export interface FormerGrantRow {
  subject: string
  location: string
  rights: number
  /** In milliseconds since 1970. */
  ended_at: number
}

/** What a subject may do in a folder and below it. */
export interface GrantRow {
  id: number
  /** 'user:3', 'group:2', 'everybody' or 'guest'. */
  subject: string
  /** See mounts/location.ts. */
  location: string
  /** A bit for each right; see contract/src/rights.ts. */
  rights: number
}
