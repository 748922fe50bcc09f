import { describe, expect, test } from 'bun:test'
import { copypartyDialect } from './copyparty.ts'
import { dufsDialect } from './dufs.ts'
import { filesteadApi } from './filestead-api.ts'
import { nginxDialect } from './nginx.ts'

/** A folder with one folder and two files, as each server tells of it. */
const listings = {
  filestead: [filesteadApi, '{"items":[{"name":"a"},{"name":"b"},{"name":"c"}],"numDirs":1}'],
  dufs: [dufsDialect, '{"href":"/a","paths":[{"name":"a"},{"name":"b"},{"name":"c"}]}'],
  copyparty: [copypartyDialect, '{"dirs":[{"href":"a/"}],"files":[{"href":"b"},{"href":"c"}]}'],
  nginx: [nginxDialect, '[{"name":"a","type":"directory"},{"name":"b"},{"name":"c"}]'],
} as const

describe.each(Object.entries(listings))('%s', (_, [dialect, body]) => {
  test('entries are counted', () => {
    expect(dialect.countListed(body)).toBe(3)
  })

  test('a file is asked for below its folder', () => {
    expect(dialect.download('/bench/file.bin')).toMatchObject({
      method: 'GET',
      path: expect.stringContaining('/bench/file.bin'),
    })
    expect(dialect.upload('/bench/file.bin').path).toContain('/bench/file.bin')
  })
})

test('checksums are read from what each server answers', () => {
  expect(filesteadApi.readChecksum?.('{"checksums":{"sha256":"abc"}}')).toBe('abc')
  expect(dufsDialect.readChecksum?.('abc\n')).toBe('abc')
})

test('a destination is told as each server expects it', () => {
  expect(filesteadApi.copyFile?.('/a', '/b c').path).toEndWith('destination=%252Fb%2520c')
  expect(dufsDialect.copyFile?.('/a', '/b').headers).toEqual({ Destination: '/b' })
  expect(copypartyDialect.copyFolder?.('/a', '/b').path).toBe('/a?copy=%2Fb')
})
