import { expect, test } from 'bun:test'
import { Settings } from '@filestead/contract'
import { readConfig } from '../../config/config.ts'
import { warningsAbout } from './warnings.ts'

const warnings = (flags: object, settings: object = {}) =>
  warningsAbout(readConfig({ root: '/srv', database: '/var/lib/filestead.db', ...flags }, {}), Settings.parse(settings))

test('an ordinary start has nothing to warn about', async () => {
  expect(await warnings({})).toEqual([])
})

test('hosts that are named need no warning', async () => {
  const [warning] = await warnings(
    { address: '192.0.2.1', cert: 'c', key: 'k', allowedHosts: 'nas' },
    { authMethod: 'noauth' },
  )
  expect(warning).not.toContain('--allowedHosts')
})

test.each([
  ['database is inside', { database: '/srv/filestead.db' }, {}],
  ['without TLS', { address: '0.0.0.0' }, {}],
  ['everybody is the first user', {}, { authMethod: 'noauth' }],
  ['by which it is called', { address: '192.0.2.1', cert: 'c', key: 'k' }, { authMethod: 'noauth' }],
  ['--trustedProxies is empty', {}, { authMethod: 'proxy' }],
  ['Every new account sees', {}, { signup: true, defaults: { scope: '/' } }],
  ['Commands and hooks', { disableExec: 'false' }, {}],
  ['not slowed down', { disableLoginThrottle: 'true' }, {}],
  ['wherever they lead', { followExternalSymlinks: 'true' }, {}],
])('%s', async (text, flags, settings) => {
  const found = await warnings(flags, settings)
  expect(found).toHaveLength(1)
  expect(found[0]).toContain(text)
})
