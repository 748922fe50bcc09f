import { expect, test } from 'bun:test'
import i18next from 'i18next'
import { inSentence, withoutMarks } from './placeholders.ts'
import { fillForms } from './plural-forms.ts'

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

test('a form that the file lacks is the general one, not the English sentence', async () => {
  const texts = { files: { items_one: '{{count}} élément', items_other: '{{count}} éléments', open: 'Ouvrir' } }
  const english = { files: { items_one: '{{count}} item', items_other: '{{count}} items', open: 'Open' } }
  const say = async (fr: object) => {
    const speaker = i18next.createInstance()
    await speaker.init({
      lng: 'fr',
      fallbackLng: 'en',
      resources: { en: { translation: english }, fr: { translation: fr } },
    })
    return speaker.t('files.items', { count: 1_000_000 })
  }
  expect(await say(texts)).toBe('1000000 items')
  expect(await say(fillForms(texts, 'fr'))).toBe('1000000 éléments')
  expect(fillForms(texts, 'ja')).toEqual({
    files: { items_one: '{{count}} élément', items_other: '{{count}} éléments', open: 'Ouvrir' },
  })
})
