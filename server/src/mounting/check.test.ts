import { expect, test } from 'bun:test'
import { Failure } from '../failure.ts'
import { addressChecker, type CheckDeps } from './check.ts'

const address = { folder: 's3+https://host.test/bucket', readOnly: false }
const checker = (deps: Partial<CheckDeps> = {}) =>
  addressChecker({
    mounts: { all: async () => [] },
    checkedFolder: async (folder) => folder,
    lookAtServer: async () => ({ weaknesses: [] }),
    ...deps,
  })
const failing = (code: 'unavailable' | 'forbidden') =>
  checker({
    lookAtServer: async () => {
      throw new Failure(code, `sentence of ${code}`)
    },
  })

test('what is found is told, and a refusal is an answer', async () => {
  expect(await checker()(address)).toEqual({ weaknesses: [] })
  expect(await checker({ lookAtServer: async () => ({ hostKey: 'SHA256:x', weaknesses: ['a'] }) })(address)).toEqual({
    hostKey: 'SHA256:x',
    weaknesses: ['a'],
  })
  expect(await failing('forbidden')(address)).toEqual({ refusal: 'sentence of forbidden', weaknesses: [] })
})

test('a folder of the server is not looked at', async () => {
  expect((await checker()({ folder: '/etc', readOnly: false })).refusal).toContain('no address')
})

test('only a few addresses are tried in a minute', async () => {
  const check = checker()
  for (let tries = 0; tries < 10; tries += 1) await check(address)
  await expect(check(address)).rejects.toMatchObject({ code: 'too-many-tries' })
})
