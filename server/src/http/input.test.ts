import { expect, test } from 'bun:test'
import { Yes } from '@filestead/contract'
import { z } from 'zod'
import { bytesBody, formBody, inputOf } from './input.ts'
import { type Connection, RequestContext } from './request.ts'

const shape = z.object({ override: Yes('replace'), name: z.string().max(3).default('') })

function contextOf(kinds: Parameters<typeof inputOf>[0], { query = '', body }: { query?: string; body?: string }) {
  const request = new Request(`http://localhost/${query}`, body === undefined ? {} : { method: 'POST', body })
  const connection = { keepAlive() {}, keepAliveUntilAnswered() {} } as unknown as Connection
  return new RequestContext(request, connection, { rest: '', params: {} }, inputOf(kinds), () => {})
}

test('the query is read by its schema; names it does not know are left out', () => {
  expect(contextOf({ query: shape }, { query: '?override=true&other=1' }).query).toEqual({ override: true, name: '' })
  expect(() => contextOf({ query: shape }, { query: '?name=long' }).query).toThrow('name: ')
})

test('empty queries share one value, which nothing can change', () => {
  const input = { query: shape }
  const value = contextOf(input, {}).query
  expect(value).toEqual({ override: false, name: '' })
  expect(Object.isFrozen(value)).toBe(true)
})

test('a name that is a list takes all its values, and any other the first one', () => {
  const kinds = { query: z.object({ folder: z.array(z.string()).max(2).default([]), last: z.string().optional() }) }
  const read = (query: string) => contextOf(kinds, { query }).query
  expect(read('?folder=a&folder=b%2Fc&last=1&last=2')).toEqual({ folder: ['a', 'b/c'], last: '1' })
  expect(read('?last=1')).toEqual({ folder: [], last: '1' })
  expect(() => read('?folder=1&folder=2&folder=3')).toThrow('folder')
})

test('JSON is read by its schema, in any spelling of its fields', async () => {
  const kinds = { body: z.object({ password: z.string() }) }
  expect(await contextOf(kinds, { body: '{"Password":"x","other":1}' }).body()).toEqual({ password: 'x' })
  for (const body of ['{"password":1}', '{}', 'null', '[', ''])
    expect(await Promise.resolve(contextOf(kinds, { body }).body()).catch((error) => error.code)).toBe('invalid')
  const large = JSON.stringify({ password: 'x'.repeat(1 << 20) })
  expect(await Promise.resolve(contextOf(kinds, { body: large }).body()).catch((error) => error.code)).toBe('too-large')
})

test('fields that are null count as missing, however deep they lie', async () => {
  const kinds = { body: z.record(z.string(), z.unknown()) }
  const body = '{"a":null,"b":{"c":null,"d":[{"e":null,"f":0}]},"__proto__":null,"g":""}'
  expect(await contextOf(kinds, { body }).body()).toEqual({ b: { d: [{ f: 0 }] }, g: '' })
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
  expect(await contextOf(kinds, { body: deep }).body()).toBeObject()
})

test('brackets within brackets by the hundred thousand are refused before they are parsed; texts may hold them', async () => {
  const kinds = { body: z.unknown() }
  const read = (body: string) => Promise.resolve(contextOf(kinds, { body }).body()).catch((error) => error.message)
  const many = 100_000
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const)
    expect(await read(open.repeat(many) + (open === '[' ? '' : '1') + close.repeat(many))).toBe(
      'the body is nested too deeply',
    )
  const text = `\\"${'[{'.repeat(many)}\\`
  expect(await read(JSON.stringify([text, text]))).toEqual([text, text])
  const wide = Array.from({ length: many }, () => [])
  expect(await read(JSON.stringify(wide))).toEqual(wide)
})

test('values by the million are refused before they are parsed', async () => {
  const kinds = { body: z.object({ which: z.array(z.string()) }), largestJson: 8 << 20 }
  const read = (which: unknown) =>
    Promise.resolve(contextOf(kinds, { body: JSON.stringify({ which }) }).body()).catch((error) => error)
  const many = (value: unknown) => Array.from({ length: 250_000 }, () => value)
  for (const which of [many(1), many({}).slice(0, 125_000), Object.fromEntries(many(1).map((one, at) => [at, one]))])
    expect(await read(which)).toMatchObject({ code: 'too-large', message: 'The body has more than 200000 values' })
  expect(await read([many(',').join('')])).toEqual({ which: [','.repeat(250_000)] })
})

test('bytes come with the length that was announced, forms field by field', async () => {
  const { bytes, length } = contextOf({ body: bytesBody() }, { body: 'abc' }).body() as {
    bytes: AsyncGenerator<Uint8Array>
    length: number | undefined
  }
  expect(Buffer.concat(await Array.fromAsync(bytes)).toString()).toBe('abc')
  expect(length).toBeUndefined()
  const form = contextOf({ body: formBody({ a: 'A field' }) }, { body: 'a=1&a=2' })
  expect((await form.form.fields()).getAll('a')).toEqual(['1', '2'])
})

test('a route without query and body reads neither', () => {
  const context = contextOf({}, { query: '?a=1', body: 'x' })
  expect([context.query, context.body()]).toEqual([undefined, undefined])
  expect(context.rawQuery.get('a')).toBe('1')
})

test('an object with more fields than any schema takes is refused before the schema looks at them', async () => {
  let looks = 0
  const value = z.unknown().refine(() => {
    looks += 1
    return true
  })
  const kinds = { body: z.record(z.string(), value) }
  const bodyOf = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`name ${at}`, at])))
  const read = (body: string) => Promise.resolve(contextOf(kinds, { body }).body()).catch((error) => error.code)
  expect([await read(bodyOf(20_001)), looks]).toEqual(['too-large', 0])
  expect([await read(bodyOf(20_000)), looks]).toEqual([expect.anything(), 20_000])
})
