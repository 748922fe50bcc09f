import { expect, test } from 'bun:test'
import { locales } from './language-names.ts'
import { directionOf, localeOf, regionalTag, tagOf } from './locales.ts'

test.each([
  ['nb', 'no'],
  ['nb-NO', 'no'],
  ['nn-NO', 'no'],
  ['no', 'no'],
  ['zh', 'zh-cn'],
  ['zh-CN', 'zh-cn'],
  ['zh-SG', 'zh-cn'],
  ['zh-Hans-HK', 'zh-cn'],
  ['zh-Hant', 'zh-tw'],
  ['zh-Hant-MO', 'zh-tw'],
  ['zh-HK', 'zh-tw'],
  ['zh-TW', 'zh-tw'],
  ['sv', 'sv-se'],
  ['sv-FI', 'sv-se'],
  ['pt', 'pt'],
  ['pt-PT', 'pt'],
  ['pt-pt', 'pt'],
  ['pt-AO', 'pt'],
  ['pt-BR', 'pt-br'],
  ['nl', 'nl'],
  ['nl-NL', 'nl'],
  ['nl-BE', 'nl-be'],
  ['ca', 'ca'],
  ['ca-ES-valencia', 'ca'],
  ['iw', 'he'],
  ['he-IL', 'he'],
  ['de-AT', 'de'],
  ['en-GB', 'en'],
  ['ptBR', 'pt-br'],
  ['zh_TW', 'zh-tw'],
  ['ua', 'uk'],
  ['cz_cs', 'cs'],
])('%s is read as %s', (wanted, locale) => {
  expect(localeOf([wanted])).toBe(locale)
})

test('the first language that is known counts, and English when none is', () => {
  expect(localeOf(['fi-FI', 'sv-FI', 'en'])).toBe('sv-se')
  expect(localeOf(['', 'de'])).toBe('de')
  expect(localeOf(['tlh'])).toBe('en')
  expect(localeOf([])).toBe('en')
})

test('every language is found under its own name, and Intl knows it', () => {
  for (const { id } of locales) {
    expect(localeOf([id])).toBe(id)
    expect(Intl.DateTimeFormat.supportedLocalesOf(tagOf(id))).toEqual([tagOf(id)])
  }
})

test('only Hebrew and Arabic run from right to left', () => {
  const rightToLeft = locales.filter(({ id }) => directionOf(id) === 'rtl').map(({ id }) => id)
  expect(rightToLeft).toEqual(['ar', 'he'])
})

test('dates are written as where the browser is at home, in the language that is spoken', () => {
  expect(regionalTag('en', ['en-GB', 'en'])).toBe('en-GB')
  expect(regionalTag('de', ['en-GB', 'de-AT'])).toBe('de-AT')
  expect(regionalTag('en', ['fi', 'sv'])).toBe('en')
  expect(regionalTag('no', ['nn-NO'])).toBe('nb')
  expect(regionalTag('pt', ['pt-BR', 'en'])).toBe('pt-PT')
  expect(regionalTag('zh-tw', ['zh-HK'])).toBe('zh-HK')
})
