import { expect, mock, test } from 'bun:test'
import { endScope, onSessionEnd, perSession, scopeNumber, sessionSignal, watchedInSession } from './session-scope.ts'

test('the end of a session stops its work and sets its stores back, before anything of the next one begins', () => {
  const clipboard = watchedInSession<string | null>(null)
  const seen = perSession(() => new Set<string>())
  clipboard.set('a.txt')
  seen().add('/private')
  const [signal, number] = [sessionSignal(), scopeNumber()]

  endScope('cut-off')

  expect([signal.aborted, sessionSignal().aborted, scopeNumber()]).toEqual([true, false, number + 1])
  expect([clipboard.get(), seen().size]).toEqual([null, 0])
})

test('what is written late by a screen of the old session does not get into the new one', () => {
  const seen = perSession(() => new Set<string>())
  const old = seen()
  endScope('cut-off')
  old.add('/private')
  expect(seen().size).toBe(0)
})

test('one store that fails does not keep the others from being reset', () => {
  const reported = mock(() => {})
  globalThis.reportError = reported
  onSessionEnd(() => {
    throw new Error('cannot')
  })
  const after = mock(() => {})
  onSessionEnd(after)
  endScope('signed-out')
  expect(after).toHaveBeenCalledWith('signed-out')
  expect(reported).toHaveBeenCalledTimes(1)
})
