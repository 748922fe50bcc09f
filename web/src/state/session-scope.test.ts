import { expect, mock, test } from 'bun:test'
import { currentScope, endScope, perSession, SessionScope, sessionSignal, sessionStore } from './session-scope.ts'

test('the end of a session aborts its work, and the next one begins with parts of its own', () => {
  const clipboard = sessionStore<string | null>(null)
  const seen = perSession(() => new Set<string>())
  clipboard.set('a.txt')
  seen().add('/private')
  const [signal, before] = [sessionSignal(), currentScope()]

  endScope('cut-off')

  expect([signal.aborted, sessionSignal().aborted, currentScope() === before]).toEqual([true, false, false])
  expect([clipboard.get(), seen().size]).toEqual([null, 0])
})

test('what is written late by a screen of the old session does not get into the new one', () => {
  const seen = perSession(() => new Set<string>())
  const old = seen()
  endScope('cut-off')
  old.add('/private')
  expect(seen().size).toBe(0)
})

test('a part is made once for each session, when it is first asked for', () => {
  const make = mock(() => ({}))
  const part = perSession(make)
  const [one, other] = [new SessionScope(), new SessionScope()]
  expect(part(one)).toBe(part(one))
  expect(part(one)).not.toBe(part(other))
  expect(make).toHaveBeenCalledTimes(2)
})

test('a part that fails to end does not keep the others from ending', () => {
  const reported = mock(() => {})
  globalThis.reportError = reported
  const scope = new SessionScope()
  const after = mock(() => {})
  scope.onEnd(() => {
    throw new Error('cannot')
  })
  scope.onEnd(after)
  scope.end('signed-out')
  expect(after).toHaveBeenCalledWith('signed-out')
  expect(reported).toHaveBeenCalledTimes(1)
})
