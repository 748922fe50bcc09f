import type { User } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import type { Listener } from './listener.ts'

/** Looks once a second whether listening sessions are still valid, also where there is no news for them. */
export interface SessionWatch {
  watch(): void
  /** The account as it is when it begins to listen. */
  know(listener: Listener, scope: Scope): void
  /** Stops where nothing listens; what is known is kept for sessions that come back. */
  rest(): void
  forget(): void
  close(): void
}

export interface SessionWatchDeps {
  readonly listeners: ReadonlySet<Listener>
  /** Ends the listener where its session has ended. */
  scopeOf(listener: Listener): Promise<Scope | undefined>
  accessVersion(): Promise<number>
  settings(): Promise<object>
  settingsChanged(): void
  accessChanged(): void
  /** Permissions, folder or rules of the account. */
  accountChanged(listener: Listener): void
}

/** In milliseconds. */
const lookEvery = 1000
/** Of sessions, also of those that do not listen any more. */
const mostAccounts = 2000

export function sessionWatch(deps: SessionWatchDeps): SessionWatch {
  const { listeners } = deps
  /** By session: one that comes back is compared with what it was. */
  const accounts = new Map<string, { user: User; text: string }>()
  let timer: NodeJS.Timeout | undefined
  let known: { access: number; settings: object } | undefined
  let isLooking = false

  async function look(): Promise<void> {
    const before = known
    known = { access: await deps.accessVersion(), settings: await deps.settings() }
    if (before !== undefined && before.settings !== known.settings) deps.settingsChanged()
    else if (before !== undefined && before.access !== known.access) deps.accessChanged()
    const bySession = new Map<string, Listener[]>()
    for (const listener of listeners)
      bySession.set(listener.listening.session, [...(bySession.get(listener.listening.session) ?? []), listener])
    for (const ofSession of bySession.values()) await lookAt(ofSession)
  }

  async function lookAt(ofSession: readonly Listener[]): Promise<void> {
    const [first, ...others] = ofSession
    if (first === undefined) return
    const scope = await deps.scopeOf(first)
    if (first.isOver) for (const other of others) await deps.scopeOf(other)
    if (scope === undefined) return
    const { user } = scope.actor
    const { session } = first.listening
    const before = accounts.get(session)
    if (before?.user === user) return
    const text = JSON.stringify(user)
    accounts.set(session, { user, text })
    if (before !== undefined && before.text !== text) for (const listener of ofSession) deps.accountChanged(listener)
  }

  function lookAgain(): void {
    if (isLooking) return
    isLooking = true
    void look()
      .catch(() => {})
      .finally(() => {
        isLooking = false
      })
  }

  return {
    watch() {
      if (timer !== undefined) return
      timer = setInterval(lookAgain, lookEvery).unref()
      lookAgain()
    },
    know({ listening: { session } }, { actor: { user } }) {
      if (accounts.size >= mostAccounts) accounts.clear()
      if (!accounts.has(session)) accounts.set(session, { user, text: JSON.stringify(user) })
    },
    rest() {
      if (listeners.size > 0) return
      clearInterval(timer)
      timer = undefined
    },
    forget() {
      known = undefined
      accounts.clear()
    },
    close: () => clearInterval(timer),
  }
}
