/** The rows as they are stored. Flags are 0 or 1 and times Unix seconds, so that every SQL database takes them. */
export interface Database {
  setting: SettingRow
  counter: CounterRow
  user: UserRow
  session: SessionRow
  draft: DraftRow
  attempt: AttemptRow
}

/** One JSON document a name. `version` grows with every change, so a reader knows when to read again. */
export interface SettingRow {
  name: 'settings' | 'server' | 'auth' | 'key'
  value: string
  version: number
}

/** Ids are handed out from here and never again, even when the last row is deleted. */
export interface CounterRow {
  name: 'user'
  value: number
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

/** A file that is being written; see storage/drafts.ts. */
export interface DraftRow {
  place: string
  target: string | null
  owner: string
}

/** Wrong passwords in a row for one target from one address. */
export interface AttemptRow {
  target: string
  failures: number
  last_at: number
  blocked_until: number
}
