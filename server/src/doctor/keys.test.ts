import { expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder } from '../../test/disk.ts'
import { examineKeys } from './keys.ts'

test('a key that others can read is told, and the public half of one is not', async () => {
  const folder = scratchFolder('keys')
  chmodSync(folder, 0o700)
  writeFileSync(join(folder, 'nas'), 'PASSWORD=x', { mode: 0o600 })
  writeFileSync(join(folder, 'nas.pub'), 'ssh-ed25519 AAAA', { mode: 0o644 })
  expect((await examineKeys(folder)).map(({ state }) => state)).toEqual(['good'])
  chmodSync(join(folder, 'nas'), 0o644)
  expect((await examineKeys(folder)).map(({ state }) => state)).toEqual(['warning'])
})
