import { expect, test } from 'bun:test'
import { type Facts, lineOf } from './line.ts'

const parsed = (facts: Facts, message?: string) => JSON.parse(lineOf('warn', facts, message))

test('a line begins with level and time, and ends with the message', () => {
  expect(lineOf('info', { event: 'upload', bytes: 5, user: undefined }, 'done')).toMatch(
    /^\{"level":"info","time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","event":"upload","bytes":5,"msg":"done"\}\n$/,
  )
  expect(parsed({})).toEqual({ level: 'warn', time: expect.any(String) })
})

test('an error is told with its causes and the code of its system call, and without what else is attached', () => {
  const inner = Object.assign(new Error('no space'), { code: 'ENOSPC', errno: -28 })
  const outer = Object.assign(new TypeError('not written', { cause: inner }), { path: '/a', request: { secret: 'x' } })
  const { err } = parsed({ err: outer })
  expect(err).toMatchObject({ type: 'TypeError', message: 'not written: no space', path: '/a' })
  expect(err.stack).toContain('caused by: Error: no space')
  expect(JSON.stringify(err)).not.toContain('secret')
  expect(parsed({ err: inner }).err).toMatchObject({ code: 'ENOSPC', errno: -28 })
})

test('errors of several, thrown values and circles of causes are told', () => {
  expect(parsed({ err: new AggregateError([new Error('one'), 'two'], 'both') }).err.errors).toMatchObject([
    { message: 'one' },
    'two',
  ])
  expect(parsed({ err: 'thrown' }).err).toBe('thrown')
  const circle = new Error('round')
  circle.cause = circle
  expect(parsed({ err: circle }).err.message).toStartWith('round: round')
})

test('what cannot be told does not lose the line', () => {
  const circle: { self?: object } = {}
  circle.self = circle
  expect(parsed({ event: 'a', circle, err: new Error('kept') }, 'said')).toMatchObject({
    event: 'a',
    err: 'Error: kept',
    msg: 'said',
  })
  const bad = [
    Object.create(null),
    Object.defineProperty(new Error('x'), 'message', {
      get: () => {
        throw 1
      },
    }),
  ]
  bad.push(Object.assign(new Error('x'), { name: 5n }), Proxy.revocable({}, {}).proxy, {
    toString: () => {
      throw 1
    },
  })
  for (const err of bad) expect(parsed({ event: 'a', err }, 'said')).toMatchObject({ event: 'a', msg: 'said' })
})

test('objects that look like errors, and causes that are none, are told by their message', () => {
  expect(parsed({ err: { message: 'disk on fire', code: 'EIO' } }).err).toBe('disk on fire')
  expect(parsed({ err: new Error('outer', { cause: 'the reason' }) }).err.message).toBe('outer: the reason')
})

test('errors that hold themselves make no long line', () => {
  const many = new AggregateError([], 'many')
  many.errors = Array.from({ length: 100 }, () => many)
  expect(lineOf('warn', { err: many }, undefined).length).toBeLessThan(20_000)
})
