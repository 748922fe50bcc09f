import type { User } from '@filestead/contract'

export type HookEvent = 'save' | 'copy' | 'rename' | 'upload' | 'delete'

/** What a hook learns about the change. */
export interface HookFacts {
  user: User
  /** Real paths: hooks are the administrator's own programs. */
  file: string
  destination: string
}

export interface Hooks {
  /** Runs a change between its hooks. One before it that fails refuses it; one after it cannot undo it any more. */
  around<T>(event: HookEvent, facts: HookFacts, change: () => Promise<T>): Promise<T>
}

/** Hooks that never run: the way the product is delivered. */
export const noHooks: Hooks = { around: (_event, _facts, change) => change() }
