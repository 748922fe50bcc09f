import { expect, test } from 'bun:test'
import { refusalOfAddress } from './address-checks.ts'
import { refusalOf } from './checks.ts'

const beside = (...folders: string[]) => folders.map((folder, at) => ({ id: at + 2, name: `M${at}`, folder }))

test.each([
  ['s3+https://host/bucket/a?keys=x', 's3+https://host/bucket/a/?keys=y', 'is this place already'],
  ['s3+https://host/bucket/a/b', 's3+https://host/bucket/a', 'lies in'],
  ['s3+https://host/bucket', 's3+https://host/bucket/a', 'holds'],
  ['s3://bucket?region=eu-central-1', 's3+https://s3.eu-central-1.amazonaws.com/bucket/a', 'holds'],
  ['sftp://bob@host/srv', 'sftp://eve@HOST:22/srv/files', 'holds'],
  ['sftp://bob@host', 'sftp://bob@host?keys=x', 'is this place already'],
])('%s is refused beside %s', (wanted, other, text) => {
  expect(refusalOfAddress(wanted, beside('/srv', other))).toContain(text)
})

test.each([
  ['s3+https://host/bucket/photos', 's3+https://host/bucket/photos2'],
  ['s3+https://host/one', 's3+https://host/two'],
  ['s3+https://host/bucket', 's3+https://other/bucket'],
  ['sftp://bob@host', 'sftp://eve@host'],
  ['sftp://bob@host:2222/srv', 'sftp://bob@host/srv'],
  ['s3+https://host/bucket', 's3+https://no bucket'],
])('%s is fine beside %s', (wanted, other) => {
  expect(refusalOfAddress(wanted, beside('/srv', other))).toBeUndefined()
})

test('a folder of a disk is not compared with addresses', () => {
  const place = { real: '/srv/photos', device: 1, inode: 2, onDisk: '' }
  expect(refusalOf(place, { mounts: beside('s3+https://host/bucket'), own: [] })).toBeUndefined()
})
