import type { Kysely } from 'kysely'
import { bestEffort } from '../database/port.ts'
import type { Database, SessionRow } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import type { Siblings } from '../nodes/siblings.ts'
import { accountWithId } from '../users/store.ts'
import { deleteSession, extendSession, insertSession, type SignedInAccount } from './store.ts'

/**
 * Changes to sessions that could not be written because the disk of the database is full or read-only. They hold in
 * memory until they can be written, and are lost when the process ends: users sign in again. Other processes of this
 * server are asked for theirs, and told what they have to know before they are asked.
 */
export interface HeldSessions {
  /** `passwordHash` is the user's at that time: the session ends when the stored hash is another one. */
  hold(session: SessionRow, user: { username: string; passwordHash: string }): void
  accountOf(id: string): Promise<SignedInAccount | undefined>
  of(userId: number): Promise<SessionRow[]>
  isHeld(id: string): boolean
  extend(id: string, expiresAt: number): Promise<void>
  /** Until when a session was prolonged; 0 for one that was not. */
  extendedTo(id: string): number
  /** False for a session that is in the database. */
  drop(id: string): Promise<boolean>
  /** Ends a session whose row cannot be deleted now. */
  end(id: string): Promise<void>
  isEnded(id: string): boolean
  /** Tries to write what is held, at most every few seconds. */
  flush(now: number): void
}

/** Bounds the memory; further sign-ins are refused while the disk is full. */
const most = 10_000
const flushEvery = 10

interface Held {
  readonly session: SessionRow
  readonly username: string
  readonly passwordHash: string
}

export function heldSessions(db: Kysely<Database>, siblings: Siblings): HeldSessions {
  const held = new Map<string, Held>()
  const extended = new Map<string, number>()
  const ended = new Set<string>()
  let flushedAt = 0

  async function writeAll(): Promise<void> {
    for (const [id, { session, username, passwordHash }] of [...held]) {
      await insertSession(db, session, { username, passwordHash })
      // Dropped during the insert: the session was ended meanwhile.
      if (!held.delete(id)) ended.add(id)
    }
    for (const [id, expiresAt] of [...extended]) {
      await extendSession(db, id, expiresAt)
      extended.delete(id)
    }
    for (const id of [...ended]) {
      await deleteSession(db, id)
      ended.delete(id)
    }
  }

  const ofUser = (userId: number) =>
    [...held.values()].flatMap(({ session }) => (session.user_id === userId ? [session] : []))

  function extendHere(id: string, expiresAt: number): void {
    const one = held.get(id)
    if (one !== undefined) held.set(id, { ...one, session: { ...one.session, expires_at: expiresAt } })
    else if (extended.size < most) extended.set(id, expiresAt)
  }

  async function heldElsewhere(id: string): Promise<Held | undefined> {
    const [found] = await siblings.ask(topics.find, id)
    return found as Held | undefined
  }

  siblings.answer(topics.find, (id) => held.get(String(id)))
  siblings.answer(topics.list, (userId) => ofUser(Number(userId)))
  siblings.answer(topics.drop, (id) => held.delete(String(id)))
  siblings.answer(topics.end, (id) => void ended.add(String(id)))
  siblings.answer(topics.extend, (value) => {
    const { id, expiresAt } = value as { id: string; expiresAt: number }
    extendHere(id, expiresAt)
  })

  return {
    hold(session, user) {
      if (held.size >= most) throw new Failure('unavailable', 'No more people can sign in while the database is full')
      held.set(session.id, { session, ...user })
    },
    async accountOf(id) {
      const one = held.get(id) ?? (await heldElsewhere(id))
      const account = one && (await accountWithId(db, one.session.user_id))
      if (one === undefined || account === undefined) return undefined
      if (account.user.username !== one.username || account.passwordHash !== one.passwordHash) {
        held.delete(id)
        return undefined
      }
      return { ...account, lastUsedAt: one.session.last_used_at, expiresAt: one.session.expires_at }
    },
    of: async (userId) => [...ofUser(userId), ...((await siblings.ask(topics.list, userId)).flat() as SessionRow[])],
    isHeld: (id) => held.has(id),
    async extend(id, expiresAt) {
      extendHere(id, expiresAt)
      await siblings.ask(topics.extend, { id, expiresAt })
    },
    extendedTo: (id) => extended.get(id) ?? 0,
    drop: async (id) => held.delete(id) || (await siblings.ask(topics.drop, id)).includes(true),
    async end(id) {
      ended.add(id)
      await siblings.ask(topics.end, id)
    },
    isEnded: (id) => ended.has(id),
    flush(now) {
      if (held.size + extended.size + ended.size === 0 || now < flushedAt + flushEvery) return
      flushedAt = now
      bestEffort(writeAll())
    },
  }
}

const topics = {
  find: 'held session',
  list: 'held sessions of a user',
  drop: 'drop a held session',
  end: 'end a session',
  extend: 'extend a session',
}
