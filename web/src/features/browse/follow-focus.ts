import { onSessionEnd } from '../../state/session-scope.ts'

/** Whoever opens a folder with the keyboard goes on with the keyboard in it. Forgotten after a moment. */
let followedUntil = 0

onSessionEnd(() => {
  followedUntil = 0
})

export function followFocus(): void {
  followedUntil = document.activeElement?.closest('#listing') == null ? 0 : performance.now() + 10_000
}

export function isFocusFollowing(): boolean {
  const isFollowing = performance.now() < followedUntil
  followedUntil = 0
  return isFollowing
}
