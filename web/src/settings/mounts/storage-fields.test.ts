import { expect, test } from 'bun:test'
import { parseAddress } from '../../../../server/src/storage/address.ts'
import {
  addressOf,
  type BucketFields,
  checkStorage,
  type SftpFields,
  type StorageFields,
  storageFieldsOf,
  suggestedName,
} from './storage-fields.ts'

const empty = storageFieldsOf('')
const bucket = (fields: Partial<BucketFields>): StorageFields => ({
  ...empty,
  kind: 's3',
  s3: { ...empty.s3, server: 'https://minio.example', bucket: 'photos', ...fields },
})
const sftp = (fields: Partial<SftpFields>): StorageFields => ({
  ...empty,
  kind: 'sftp',
  sftp: { ...empty.sftp, host: 'nas.example', user: 'anna', ...fields },
})

const odd = 'a b/ü?#%25+&=:@/日本'
const key = `SHA256:${'aB3+/'.repeat(8)}aB3`

const all: readonly StorageFields[] = [
  { ...empty, disk: '/srv/photos and more?#%' },
  bucket({}),
  bucket({ server: 'http://[::1]:9000' }),
  bucket({ server: '', region: 'eu-central-1' }),
  bucket({ server: '', style: 'path' }),
  bucket({ style: 'host', direct: 'yes', keys: 'backup-keys_2' }),
  bucket({ prefix: odd, direct: '1048576' }),
  sftp({}),
  sftp({ port: '2222', folder: '/', keys: 'nas' }),
  sftp({ folder: `/${odd}`, user: 'anna@example: b/c', hostKey: key }),
  sftp({ host: '[fe80::1]', hostKey: key, keys: 'nas' }),
]

test('what was put together into an address is taken apart into the same fields', () => {
  for (const fields of all) expect(storageFieldsOf(addressOf(fields))).toEqual(fields)
})

test('the server reads an address as it was meant', () => {
  const nothing = { region: 'us-east-1', keys: '', direct: 0 }
  expect(all.map((fields) => parseAddress(addressOf(fields)))).toEqual([
    { kind: 'disk', folder: '/srv/photos and more?#%' },
    {
      ...{ kind: 's3', endpoint: 'https://minio.example', bucket: 'photos', prefix: '' },
      ...{ ...nothing, isPathStyle: true },
    },
    { kind: 's3', endpoint: 'http://[::1]:9000', bucket: 'photos', prefix: '', ...nothing, isPathStyle: true },
    {
      ...{ kind: 's3', endpoint: 'https://s3.eu-central-1.amazonaws.com', bucket: 'photos', prefix: '' },
      ...{ ...nothing, region: 'eu-central-1', isPathStyle: false },
    },
    {
      ...{ kind: 's3', endpoint: 'https://s3.us-east-1.amazonaws.com', bucket: 'photos', prefix: '' },
      ...{ ...nothing, isPathStyle: true },
    },
    {
      ...{ kind: 's3', endpoint: 'https://minio.example', bucket: 'photos', prefix: '' },
      ...{ ...nothing, isPathStyle: false, keys: 'backup-keys_2', direct: 8 * 1_048_576 },
    },
    {
      ...{ kind: 's3', endpoint: 'https://minio.example', bucket: 'photos', prefix: odd },
      ...{ ...nothing, isPathStyle: true, direct: 1_048_576 },
    },
    { kind: 'sftp', host: 'nas.example', port: 22, user: 'anna', folder: '', hostKey: '', keys: '' },
    { kind: 'sftp', host: 'nas.example', port: 2222, user: 'anna', folder: '/', hostKey: '', keys: 'nas' },
    {
      ...{ kind: 'sftp', host: 'nas.example', port: 22, user: 'anna@example: b/c' },
      ...{ folder: `/${odd}`, hostKey: key, keys: '' },
    },
    { kind: 'sftp', host: 'fe80::1', port: 22, user: 'anna', folder: '', hostKey: key, keys: 'nas' },
  ])
})

test('an address is short, and a fingerprint in it is read as ssh-keygen writes it', () => {
  expect(addressOf(bucket({ server: 'minio.example/', region: ' ', style: 'path' }))).toBe(
    's3+https://minio.example/photos',
  )
  expect(addressOf(bucket({ server: 'HTTP://minio.example:9000', prefix: '/a//b/' }))).toBe(
    's3+http://minio.example:9000/photos/a/b',
  )
  expect(addressOf(sftp({ hostKey: key, host: 'fe80::1', port: ' 22 ' }))).toBe(
    `sftp://anna@[fe80::1]:22?hostKey=${key}`,
  )
})

test('what is missing or wrong in an address is told beside its field', () => {
  for (const fields of all) expect(checkStorage(fields)).toEqual({})
  expect(checkStorage(empty)).toEqual({ disk: 'emptyFolder' })
  expect(checkStorage(bucket({ server: 'https://a b/c', bucket: ' ', prefix: 'a/../b' }))).toEqual({
    ...{ server: 'badServer', bucket: 'emptyBucket', prefix: 'badPrefix' },
  })
  expect(checkStorage(bucket({ server: 'ftp://minio.example', bucket: 'a/b' }))).toEqual({
    ...{ server: 'badServer', bucket: 'badBucket' },
  })
  expect(checkStorage(bucket({ keys: '/etc/passwd' }))).toEqual({ keys: 'badKeys' })
  expect(checkStorage(sftp({ host: 'a@b', port: '70000', user: '', folder: 'data', hostKey: 'MD5:1' }))).toEqual({
    ...{ host: 'badHost', port: 'badPort', user: 'emptyUser', folder: 'badPath', hostKey: 'badHostKey' },
  })
})

test('a storage suggests the name of its last folder, or of its bucket or server', () => {
  expect(suggestedName({ ...empty, disk: ' /srv/photos/ ' })).toBe('photos')
  expect(suggestedName(empty)).toBe('')
  expect(suggestedName(bucket({}))).toBe('photos')
  expect(suggestedName(bucket({ prefix: 'a/2024/' }))).toBe('2024')
  expect(suggestedName(sftp({}))).toBe('nas.example')
  expect(suggestedName(sftp({ folder: '/srv/data' }))).toBe('data')
})
