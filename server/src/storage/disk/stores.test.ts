import { expect, test } from 'bun:test'
import { closeSync, constants, openSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { idInName, keptName } from '../kept-names.ts'
import { keptPath } from '../path.ts'
import { infoText, parseInfo } from '../store-info.ts'
import { pathBetween, placeParts } from './stores.ts'

const keep = {
  operation: '0198c2f0-1111-7222-8333-444455556666',
  user: { id: 7, name: 'Zoë =\n%' },
  door: 'api',
  cause: 'remove',
} as const

test('an info file tells what was written, byte by byte', () => {
  for (const path of ['a b.txt', 'x/100%/ä\n=.txt', 'no text \udce9', 'z'.repeat(3000)]) {
    const info = { path, keptAt: 1_790_000_000_123, id: `${keep.operation}-1`, keep }
    const text = infoText(info)
    expect(text).toMatch(/^\[Trash Info\]\nPath=[ -~]+\nDeletionDate=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\nX-Filestead-Id=/)
    expect(parseInfo(text)).toEqual(info)
  }
})

test('an info file of another program has a path and a local time', () => {
  const { path, keptAt, keep } = parseInfo(
    '[Trash Info]\r\nPath=a%20b/%C3%A4\nPath=second\nDeletionDate=2026-01-02T03:04:05\n',
  )
  expect({ path, keptAt, keep }).toEqual({
    path: 'a b/ä',
    keptAt: new Date(2026, 0, 2, 3, 4, 5).getTime(),
    keep: undefined,
  })
})

test('a path of an info file that leads out is none', () => {
  for (const path of ['/etc/passwd', '..', 'a/../../b', '', '%2Fetc', 'a/%2e%2e/b'])
    expect(parseInfo(`[Trash Info]\nPath=${path}\n`).path).toBeUndefined()
})

test('the name of a kept thing ends like the old one, is short, and holds its id', () => {
  const id = keep.operation
  expect(keptName('report.pdf', id)).toBe(`report.${id}.pdf`)
  expect(keptName('.profile', id)).toBe(`.profile.${id}`)
  expect(keptName(Uint8Array.of(0x61, 0xe9, 0x62), id)).toBe(`a_b.${id}`)
  const long = keptName(`${'ä'.repeat(120)}.txt`, `${id}-12`)
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(130)
  expect(long).toMatch(/^ä+\.[\w-]+\.txt$/)
  for (const name of ['report.pdf', 'a.b.c', 'no end', 'x.tar.gz']) expect(idInName(keptName(name, id))).toBe(id)
})

test('a place is taken apart only directly in the files of a store', () => {
  const trash = `.Trash-${process.geteuid?.() ?? 0}`
  expect(placeParts(keptPath(`/disk/${trash}/files/a`))).toMatchObject({
    store: 'trash',
    top: keptPath('/disk'),
    name: 'a',
  })
  expect(placeParts(keptPath('/.filestead-versions/files/a'))).toMatchObject({
    store: 'versions',
    top: keptPath('/'),
    name: 'a',
  })
  for (const path of [`/${trash}/info/a`, `/${trash}/files`, `/${trash}/files/a/b`, '/files/a', '/', '/a/files/b'])
    expect(placeParts(keptPath(path))).toBeUndefined()
})

test('a folder has a path from the root of the machine, too, where that is served', () => {
  const [root, folder] = ['/', tmpdir()].map((path) => openSync(path, constants.O_RDONLY)) as [number, number]
  try {
    expect(String(pathBetween(root, folder))).toBe(realpathSync(tmpdir()))
    expect(String(pathBetween(folder, folder))).toBe('/')
    expect(pathBetween(folder, root)).toBeUndefined()
  } finally {
    for (const fd of [root, folder]) closeSync(fd)
  }
})

test('a time that no calendar has is not told', () => {
  for (const time of ['1e300', '-1', '99999999999999999', 'x'])
    expect(parseInfo(`[Trash Info]\nPath=a\nX-Filestead-Time=${time}\nDeletionDate=+275760-01-01T00:00:00\n`)).toEqual({
      path: 'a',
      keptAt: undefined,
    })
  expect(parseInfo('[Trash Info]\nPath=a\nX-Filestead-Time=1e300\nDeletionDate=2026-01-01T00:00:00Z\n')?.keptAt).toBe(
    Date.UTC(2026, 0),
  )
})
