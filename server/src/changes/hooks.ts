import type { User } from '@filestead/contract'
import type { ChangeKind } from './change.ts'

export type HookEvent = 'save' | 'copy' | 'rename' | 'upload' | 'delete'

export const hookEvents: Readonly<Record<ChangeKind, HookEvent>> = {
  save: 'save',
  create: 'upload',
  'create-folder': 'upload',
  upload: 'upload',
  copy: 'copy',
  move: 'rename',
  extract: 'upload',
  remove: 'delete',
  restore: 'upload',
}

/** What a hook learns about the change. */
export interface HookFacts {
  user: User
  /** Real paths: hooks are the administrator's own programs. */
  file: string
  destination: string
}

/** The administrator's programs around changes. */
export interface Hooks {
  /** A hook that fails refuses the change. */
  before(event: HookEvent, facts: HookFacts): Promise<void>
  /** The change is done; a hook that fails is only logged. */
  after(event: HookEvent, facts: HookFacts): Promise<void>
}
