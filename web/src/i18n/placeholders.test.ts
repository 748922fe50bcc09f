import { expect, test } from 'bun:test'
import { inSentence, withoutMarks } from './placeholders.ts'
import { translator } from './translate.ts'

test('numbers are written as the language writes them', () => {
  expect(inSentence(12_345, 'en', 'ltr')).toBe('12,345')
  expect(inSentence(12_345, 'de', 'ltr')).toBe('12.345')
})

test('only what runs against the sentence is set apart', () => {
  expect(inSentence('notes.txt', 'en', 'ltr')).toBe('notes.txt')
  expect(inSentence('写真.jpg', 'en', 'ltr')).toBe('写真.jpg')
  expect(inSentence('שלום.txt', 'en', 'ltr')).toBe('\u2068שלום.txt\u2069')
  expect(inSentence('notes.txt', 'he', 'rtl')).toBe('\u2068notes.txt\u2069')
  expect(inSentence('سلام', 'ar', 'rtl')).toBe('سلام')
  expect(inSentence('2026', 'ar', 'rtl')).toBe('2026')
  expect(withoutMarks(`Select ${inSentence('שלום.txt', 'en', 'ltr')}`)).toBe('Select שלום.txt')
})

const english = translator({
  texts: { files: { items_one: '{{count}} item', items_other: '{{count}} items', named: '{{name}} · {{name}}' } },
  plurals: 'en',
  tag: 'en',
  direction: 'ltr',
})
const say = (key: string, values?: object) => english(key as never, { ...values })

test('a text is found by its key, with its values and the form of its count', () => {
  expect(say('files.items', { count: 1 })).toBe('1 item')
  expect(say('files.items', { count: 12_345 })).toBe('12,345 items')
  expect(say('files.named', { name: 'a $& b' })).toBe('a $& b · a $& b')
})

test('values to replace are shown, while the count chooses the form', () => {
  expect(say('files.items', { count: 2, replace: { count: '1' } })).toBe('1 items')
})

test('a text that is missing is its key', () => {
  expect([say('files.nothing'), say('files'), say('constructor.name')]).toEqual([
    'files.nothing',
    'files',
    'constructor.name',
  ])
})

test('a form that the file lacks is the general one', () => {
  const texts = { files: { items_one: '{{count}} élément', items_other: '{{count}} éléments' } }
  const french = translator({ texts, plurals: 'fr', tag: 'fr', direction: 'ltr' })
  expect(french('files.items' as never, { count: 1_000_000 })).toEndWith(' éléments')
  const japanese = translator({ texts, plurals: 'ja', tag: 'ja', direction: 'ltr' })
  expect(japanese('files.items' as never, { count: 1 })).toBe('1 éléments')
})
