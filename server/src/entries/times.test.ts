import { expect, test } from 'bun:test'
import { formatTime, isoTime } from './times.ts'

test.each([
  [1_500_000_000, 0],
  [1_794_710_270, 123_456_789],
  [0, 1],
  [-1, 500_000_000],
  [1_700_000_899, 120_000_000],
])('%d s and %d ns read back as the same moment', (seconds, nanoseconds) => {
  const text = formatTime(seconds, nanoseconds)
  expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d*[1-9])?(Z|[+-]\d\d:\d\d)$/)
  expect(new Date(text).getTime()).toBe(seconds * 1000 + Math.floor(nanoseconds / 1e6))
})

test.each([8.64e12, 99_999_999_999_999, 2 ** 63])(
  'a time of %d s, which no date can hold, is told as one that can',
  (seconds) => {
    for (const time of [seconds, -seconds])
      for (const text of [formatTime(time, 5), isoTime(time * 1000)])
        expect([text, Math.sign(Date.parse(text)), Math.abs(Date.parse(text)) > 8e15]).toEqual([
          text,
          Math.sign(time),
          true,
        ])
  },
)

test('the fraction is exact and has no trailing zeros', () => {
  expect(formatTime(0, 120_000_000)).toContain('00.12')
  expect(formatTime(0, 7)).toContain('00.000000007')
})

test.each(['Asia/Kolkata', 'America/St_Johns', 'Pacific/Chatham'])('a zone with odd minutes: %s', (zone) => {
  const script = `const { formatTime } = await import('${import.meta.dirname}/times.ts'); console.log(formatTime(1794710270, 0))`
  const { stdout } = Bun.spawnSync([process.execPath, '--config=/dev/null', '-e', script], { env: { TZ: zone } })
  expect(new Date(stdout.toString().trim()).getTime()).toBe(1_794_710_270_000)
  expect(stdout.toString()).not.toContain('Z')
})
