import { onSessionEnd } from '../../state/session-scope.ts'

let isGoingOn = false

onSessionEnd(() => goOn(false))

/** Whether the next film or song starts by itself: only while the present one was started and not paused. */
export const goesOn = (): boolean => isGoingOn

export function goOn(next: boolean): void {
  isGoingOn = next
}
