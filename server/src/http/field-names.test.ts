import { expect, test } from 'bun:test'
import { Credentials, UserRequest, WebSettings } from '@filestead/contract'
import { withKnownNames } from './field-names.ts'

test('names are spelt as the shape spells them, at every depth', () => {
  expect(withKnownNames({ Username: 'a', PASSWORD: 'b', reCaptcha: 'c' }, Credentials)).toEqual({
    username: 'a',
    password: 'b',
    recaptcha: 'c',
  })
  const request = {
    What: 'user',
    Data: { UserName: 'a', Perm: { Admin: true }, Rules: [{ Path: '/x', Regexp: { Raw: 'y' } }] },
  }
  expect(withKnownNames(request, UserRequest)).toEqual({
    what: 'user',
    data: { username: 'a', perm: { admin: true }, rules: [{ path: '/x', regexp: { raw: 'y' } }] },
  })
})

test('what the shape does not know stays as it is', () => {
  for (const value of [null, 7, 'text', [], [1, { Username: 'a' }], { Other: { Username: 'a' } }])
    expect(withKnownNames(value, Credentials)).toEqual(value)
  const commands = { After_Save: ['echo'] }
  expect(withKnownNames({ Commands: commands }, WebSettings)).toEqual({ commands })
})

test('the right spelling counts where both are there, and no name reaches a prototype', () => {
  expect(withKnownNames({ password: 'right', Password: 'wrong' }, Credentials)).toMatchObject({ password: 'right' })
  const hostile: unknown = JSON.parse('{"__proto__":{"password":"x"},"username":"a"}')
  const known = withKnownNames(hostile, Credentials)
  expect(Object.getPrototypeOf(known)).toBe(Object.prototype)
  expect(known).not.toHaveProperty('password')
})
