import { expect, test } from 'bun:test'
import { isStandIn, loadTimes, ownTimes, supportedTag } from './icelandic.ts'
import { sayTime } from './icelandic-times.ts'

const units = ['second', 'minute', 'hour', 'day', 'month', 'year'] as const

test.each(units)('our words for a %s are those of browsers that know Icelandic', (unit) => {
  const known = new Intl.RelativeTimeFormat('is', { numeric: 'auto' })
  for (let value = -130; value <= 130; value += 1) expect(sayTime(value, unit)).toBe(known.format(value, unit))
})

test('a browser that can write Icelandic does it by itself, and other languages have no stand-in', () => {
  expect(['is', 'is-IS', 'de', 'it'].map(supportedTag)).toEqual(['is', 'is-IS', 'de', 'it'])
})

test('in a browser that cannot, numbers and lists are written by a relative, and times in our own words', async () => {
  const { supportedLocalesOf } = Intl.RelativeTimeFormat
  Intl.RelativeTimeFormat.supportedLocalesOf = () => []
  try {
    const tag = supportedTag('is')
    expect(isStandIn(tag)).toBe(true)
    await loadTimes('is')
    expect(ownTimes(tag)?.sayTime(-1, 'day')).toBe('í gær')
    expect(ownTimes('de')).toBeUndefined()
    expect(new Intl.ListFormat(tag).format(['a', 'b', 'c'])).toBe('a, b og c')
    expect(supportedTag('it')).toBe('it')
  } finally {
    Intl.RelativeTimeFormat.supportedLocalesOf = supportedLocalesOf
  }
})
