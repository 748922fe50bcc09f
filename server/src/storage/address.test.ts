import { expect, test } from 'bun:test'
import { parseAddress, placeOf } from './address.ts'

test('a path of this machine is a folder of a disk', () => {
  expect(parseAddress('/mnt/photos')).toEqual({ kind: 'disk', folder: '/mnt/photos' })
  expect(parseAddress('/mnt/a://b')).toEqual({ kind: 'disk', folder: '/mnt/a://b' })
})

test('a bucket by the address of its server', () => {
  expect(parseAddress('s3+http://127.0.0.1:7070/photos/of/2026?keys=minio')).toEqual({
    kind: 's3',
    endpoint: 'http://127.0.0.1:7070',
    bucket: 'photos',
    prefix: 'of/2026',
    region: 'us-east-1',
    isPathStyle: true,
    keys: 'minio',
    direct: 0,
  })
  expect(parseAddress('s3://photos/a%20b?region=eu-central-1&direct=yes')).toMatchObject({
    endpoint: 'https://s3.eu-central-1.amazonaws.com',
    bucket: 'photos',
    prefix: 'a b',
    isPathStyle: false,
    direct: 8 * 1_048_576,
  })
})

test('a server that speaks SFTP', () => {
  expect(parseAddress('sftp://ana@nas.local:2222/srv/files?hostKey=SHA256:ab+c/d')).toEqual({
    kind: 'sftp',
    host: 'nas.local',
    port: 2222,
    user: 'ana',
    folder: '/srv/files',
    hostKey: 'SHA256:ab+c/d',
    keys: '',
  })
  expect(parseAddress('sftp://ana@[::1]')).toMatchObject({ host: '::1', port: 22, folder: '' })
})

test('what cannot be understood is refused with a sentence', () => {
  for (const [address, sentence] of [
    ['ftp://host/folder', /begins with/],
    ['s3+https://host', /no bucket/],
    ['s3+https://key:secret@host/bucket', /password/],
    ['s3+https://key@host/bucket', /keys/],
    ['sftp://host/folder', /no user/],
    ['s3+https://host/bucket/a%2fb', /slash/],
    ['s3+https://host/bucket?ports=1', /means nothing/],
    ['s3+https://host/bucket?style=x', /host or path/],
    ['s3+https://host/bucket?direct=-1', /bytes/],
    ['s3+https://host/bucket/%zz', /percent/],
  ] as const)
    expect(() => parseAddress(address), address).toThrow(sentence)
})

test('two spellings of the same place are told', () => {
  const placeIn = (address: string) => placeOf(parseAddress(address))
  expect(placeIn('s3+https://host/b/p/?region=x')).toBe(placeIn('s3+https://host/b/p?direct=yes'))
  expect(placeIn('sftp://a@h:22/x')).toBe(placeIn('sftp://a@h/x/'))
})
