import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { tuneAllocator } from './allocator.ts'
import { programPagesIn } from './program-pages.ts'

const table = `00200000-01a38000 r--p 00000000 fe:00 5350627                            /opt/bun
01a40000-06836000 r-xp 01838000 fe:00 5350627                            /opt/bun
06836000-0684a000 rw-p 0662d000 fe:00 5350627                            /opt/bun
0684a000-06852000 r--p 06641000 fe:00 5350627                            /opt/bun
7fee34bed000-7fee34c13000 r--p 00000000 fe:00 326269                     /usr/lib/libc.so.6
7fee34c13000-7fee34d69000 r-xp 00026000 fe:00 326269                     /usr/lib/libc.so.6
7faabf56e000-7faaff56e000 rwxp 00000000 00:00 0
7faabf56e000-7faaff56e000 r-xs 00000000 fe:00 5350627                    /opt/bun
`

test('pages of the program are its code and its constants, and nothing that was written to', () => {
  expect(programPagesIn(table, '/opt/bun')).toEqual([
    { start: 0x200000, length: 0x1a38000 - 0x200000 },
    { start: 0x1a40000, length: 0x6836000 - 0x1a40000 },
  ])
  expect(programPagesIn(table, '/bun')).toEqual([])
})

test('the process goes on without the pages that it gave up, and has fewer of them', () => {
  const mapped = () => Number(/^RssFile:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
  const before = mapped()
  tuneAllocator().trim()
  expect(mapped()).toBeLessThan(before)
  expect(JSON.parse('[1]')).toEqual([1])
})
