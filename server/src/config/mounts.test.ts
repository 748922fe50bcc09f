import { expect, test } from 'bun:test'
import { readConfig } from './config.ts'
import { MountList, mountsText } from './mounts.ts'

const plain = { links: 'inside', readOnly: false } as const

test('names and folders, each with what is said about it behind commas', () => {
  expect(MountList.parse('Photos=/mnt/photos,Old=/mnt/old,readOnly,links=outside' as never)).toEqual([
    { name: 'Photos', folder: '/mnt/photos', ...plain },
    { name: 'Old', folder: '/mnt/old', links: 'outside', readOnly: true },
  ])
  expect(MountList.parse('' as never)).toEqual([])
})

test('an address of a bucket or of another server, whose commas are written as %2C', () => {
  expect(
    MountList.parse('Photos=s3+https://host:9000/bucket/a%2Cb?keys=photos,readOnly,Old=sftp://bob@host/srv' as never),
  ).toEqual([
    { name: 'Photos', folder: 's3+https://host:9000/bucket/a%2Cb?keys=photos', links: 'inside', readOnly: true },
    { name: 'Old', folder: 'sftp://bob@host/srv', ...plain },
  ])
  expect(mountsText({ Photos: 's3://bucket/a,b' })).toBe('Photos=s3://bucket/a%2Cb')
})

test('the first root folder is one of this machine', () => {
  expect(() => readConfig({ root: 's3://bucket' }, {})).toThrow('--root must be a folder of this machine')
})

test.each(['photos', 'Photos=mnt', 'readOnly', 'A=/a,nonsense', 'A=/a,links=all'])('%s is refused', (text) => {
  expect(MountList.safeParse(text as never).success).toBe(false)
})

test('a config file has a list, or names with a folder or with facts', () => {
  expect(mountsText(['Photos=/mnt/photos', 'Music=/mnt/music'])).toBe('Photos=/mnt/photos,Music=/mnt/music')
  expect(mountsText({ Photos: '/mnt/photos', Old: { folder: '/mnt/old', readOnly: true } })).toBe(
    'Photos=/mnt/photos,Old=/mnt/old,readOnly=true',
  )
})

test('the folders that may be chosen are full paths', () => {
  expect(readConfig({}, {}).mountable).toEqual(['/srv', '/mnt', '/media', '/data', '/home'])
  expect(readConfig({ mountable: '/srv/,/disks' }, {}).mountable).toEqual(['/srv', '/disks'])
  expect(readConfig({ mountable: '' }, {}).mountable).toEqual([])
  expect(() => readConfig({ mountable: 'srv' }, {})).toThrow('full paths')
})
