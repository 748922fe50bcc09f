import { expect, test } from 'bun:test'
import type { EntryKind } from './facts.ts'
import { toResource, typeByName } from './resource.ts'
import { RowWriter } from './row-writer.ts'

const names = [
  ...['a.txt', 'b.TXT', 'no extension', '.hidden', 'x.', 'film.mp4', 'page.unknown', 'a "quoted" \\ name.txt'],
  ...['line\nbreak.md', 'Grüße.txt', '写真.jpg', '🙂.png', 'tab\there', 'x'.repeat(255), `${'ü'.repeat(127)}`],
]
const kinds: readonly EntryKind[] = ['file', 'folder', 'pipe', 'socket', 'device']
const times = [
  [0, 0],
  [1_763_400_000, 1],
  [1_763_400_000, 120_000_000],
  [1_763_400_000, 999_999_999],
  [-1, 5_000],
  [253_402_300_800, 10],
] as const
const sizes = [0, 9, 10, 4096, 10 * 1024 * 1024, 10 * 1024 * 1024 + 1, 2 ** 31, Number.MAX_SAFE_INTEGER]

test('rows are what JSON makes of the same entries', () => {
  const prefix = '/a "folder"/ä/'
  const writer = new RowWriter(prefix, () => 'audio')
  const expected: string[] = []
  let count = 0
  for (const name of names)
    for (const kind of kinds)
      for (const size of sizes) {
        const [seconds, nanoseconds] = times[count % times.length] as (typeof times)[number]
        const facts = { kind, size, mode: (count * 37) % 0o10000, seconds, nanoseconds }
        const bytes = Buffer.from(`/${name}/`)
        writer.add({ bytes, start: 1, end: bytes.length - 1 }, facts)
        const entry = { ...facts, name, isLink: false }
        expected.push(`,${JSON.stringify(toResource(entry, prefix + name, typeByName(entry) ?? 'audio'))}`)
        count += 1
      }
  expect(Buffer.from(writer.written()).toString()).toBe(expected.join(''))
  expect([writer.count, writer.folders]).toEqual([count, count / kinds.length])
})
