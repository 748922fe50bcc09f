import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseAddress, type S3Address, type SftpAddress } from '../storage/address.ts'
import { requireAddress } from './address-checks.ts'
import { keysIn, parsedKeys } from './keys.ts'

const folder = mkdtempSync(join(tmpdir(), 'filestead-keys-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const put = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o600 })
const bucket = (query = '') => parseAddress(`s3+https://host.test/bucket${query}`) as S3Address
const login = (query = '') => parseAddress(`sftp://bob@host.test/files${query}`) as SftpAddress
const keys = (variables = {}) => keysIn({ folder, variables })

test('keys come from variables of their name, then from a file, and without a name from those of AWS', async () => {
  put('photos', '# for photos\nACCESS_KEY_ID=FILE\nSECRET_ACCESS_KEY = s e=c \n')
  const variables = {
    FILESTEAD_KEYS_MY_PHOTOS_ACCESS_KEY_ID: 'VARIABLE',
    FILESTEAD_KEYS_MY_PHOTOS_SECRET_ACCESS_KEY: 'secret',
    AWS_ACCESS_KEY_ID: 'AWS',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'token',
  }
  expect(await keys(variables).ofBucket(bucket('?keys=photos'))).toEqual({
    accessKeyId: 'FILE',
    secretAccessKey: 's e=c',
  })
  expect((await keys(variables).ofBucket(bucket('?keys=my-photos'))).accessKeyId).toBe('VARIABLE')
  expect(await keys(variables).ofBucket(bucket())).toMatchObject({ accessKeyId: 'AWS', sessionToken: 'token' })
})

test('a file may be as other programs write it', () => {
  expect(parsedKeys('[default]\naws_access_key_id = A\naws_secret_access_key = B\n')).toEqual({
    ACCESS_KEY_ID: 'A',
    SECRET_ACCESS_KEY: 'B',
  })
  const key = '-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl=\n-----END OPENSSH PRIVATE KEY-----\n'
  expect(parsedKeys(`PASSPHRASE=x\n${key}`)).toEqual({ PASSPHRASE: 'x', PRIVATE_KEY: key })
})

test('a file is read again each time, so that keys can be exchanged', async () => {
  put('rotated', 'PASSWORD=one')
  expect((await keys().ofLogin(login('?keys=rotated'))).password).toBe('one')
  put('rotated', 'PASSWORD=two')
  expect((await keys().ofLogin(login('?keys=rotated'))).password).toBe('two')
})

test('what is missing is told by its place, and nothing of its content', async () => {
  put('half', 'ACCESS_KEY_ID=hidden-id')
  const refusal = (work: Promise<unknown>) => work.then(String, (error: Error) => error.message)
  expect(await refusal(keys().ofBucket(bucket('?keys=half')))).toMatch(/half or FILESTEAD_KEYS_HALF_… must have/)
  expect(await refusal(keys().ofBucket(bucket('?keys=half')))).not.toContain('hidden-id')
  expect(await refusal(keys().ofBucket(bucket()))).toContain('AWS_ACCESS_KEY_ID')
  expect(await refusal(keys().ofLogin(login('?keys=none')))).toMatch(
    /none cannot be read: there is no such file or folder$/,
  )
})

test('keys that name their hosts are told to no other server', async () => {
  put('bound', 'HOSTS=backup.test, host.test\nPASSWORD=x')
  put('foreign', 'HOSTS=backup.test\nPASSWORD=x')
  expect((await keys().ofLogin(login('?keys=bound'))).password).toBe('x')
  await expect(keys().ofLogin(login('?keys=foreign'))).rejects.toThrow('other servers than host.test')
})

test('on the page, keys are chosen by name, and a password only for the hosts that it names', async () => {
  put('free', 'PASSWORD=x')
  put('own', 'PASSWORD=x\nHOSTS=host.test')
  const check = (address: string, isBounded: boolean, isOnPage = true) =>
    requireAddress(address, [], { isOnPage, keys: { folder, variables: {} } }, { isBounded })
  await expect(check(`sftp://bob@host.test/?keys=${folder}/own`, true)).rejects.toThrow('by their name')
  expect(await check(`sftp://bob@host.test/?keys=${folder}/own`, false)).toContain('/own')
  await expect(check('sftp://bob@host.test/?keys=../own', false)).rejects.toThrow('letters')
  await expect(check('sftp://bob@host.test/?keys=free', true)).rejects.toThrow('HOSTS=host.test')
  expect(await check('sftp://bob@host.test/?keys=free', false)).toContain('free')
  expect(await check(' sftp://bob@host.test/?keys=own ', true)).toBe('sftp://bob@host.test/?keys=own')
  await expect(check('s3+https://host.test/bucket', true, false)).rejects.toThrow('--remoteMounts')
  expect(await check('s3+https://host.test/bucket', false, false)).toContain('bucket')
})
