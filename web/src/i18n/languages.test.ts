import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { locales } from './language-names.ts'
import { isSameWord } from './loanwords.ts'
import { tagOf } from './locales.ts'

type Texts = Map<string, string>

const forms = ['zero', 'one', 'two', 'few', 'many', 'other']
const english = textsOf('en')

test('every language on the list has a file, and every file is on the list', () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.json'))
  expect(files.sort()).toEqual(locales.map(({ id }) => `${id}.json`).sort())
})

describe.each(locales.filter(({ id }) => existsSync(fileOf(id))))('$id', ({ id }) => {
  const texts = textsOf(id)

  test('has the keys of English, and the plural forms of its own', () => {
    const needed = needs(id)
    expect({
      missing: [...needed].filter(([key, need]) => need === 'must' && !texts.has(key)).map(([key]) => key),
      extra: [...texts.keys()].filter((key) => !needed.has(key)),
    }).toEqual({ missing: [], extra: [] })
  })

  test('has the placeholders of English', () => {
    const wrong = [...texts].filter(([key, text]) => {
      const model = modelOf(key)
      if (model === undefined) return false
      const [has, wants] = [partsOf(text), partsOf(model)]
      return has !== wants && !(sparesTheNumber(id, key) && has === partsOf(model.replaceAll('{{count}}', '')))
    })
    expect(wrong).toEqual([])
  })

  test('has no empty texts, and spaces at their ends only where English has them', () => {
    const wrong = [...texts].filter(([key, text]) => text === '' || edgesOf(text) !== edgesOf(modelOf(key) ?? ''))
    expect(wrong).toEqual([])
  })

  if (id !== 'en')
    test('has nothing left in English', () => {
      const left = [...texts].filter(([key, text]) => text === modelOf(key) && hasWords(text) && !isSameWord(id, text))
      expect(left).toEqual([])
    })
})

/** Which keys a language must have, and which it may. */
function needs(id: string): Map<string, 'must' | 'may'> {
  const needed = new Map<string, 'must' | 'may'>()
  // In French and its sisters 'many' is for whole millions, and not every browser asks for it.
  const usual = numbersOf(id)
  const own = new Intl.PluralRules(tagOf(id)).resolvedOptions().pluralCategories
  for (const key of english.keys()) {
    const counted = countedOf(key)
    if (counted === null) needed.set(key, 'must')
    else for (const form of own) needed.set(`${counted}_${form}`, usual.has(form) ? 'must' : 'may')
  }
  return needed
}

/** 'files.items' of 'files.items_few', or null for a text that is not counted. */
function countedOf(key: string): string | null {
  const [, stem = key, form] = /^(.*)_([a-z]+)$/.exec(key) ?? []
  return form !== undefined && forms.includes(form) && english.has(`${stem}_other`) ? stem : null
}

/** The English text that a text must agree with; for forms that English lacks, the one for many. */
function modelOf(key: string): string | undefined {
  const counted = countedOf(key)
  return english.get(key) ?? (counted === null ? undefined : english.get(`${counted}_other`))
}

/** The numbers below a thousand that each form is for. */
function numbersOf(id: string): Map<string, number[]> {
  const rules = new Intl.PluralRules(tagOf(id))
  return Map.groupBy(Array(1000).keys(), (number) => rules.select(number))
}

/** 'Two folders' needs no figure where the form is for two only. In Russian 'one' is also for 21. */
function sparesTheNumber(id: string, key: string): boolean {
  return countedOf(key) !== null && numbersOf(id).get(key.slice(key.lastIndexOf('_') + 1))?.length === 1
}

/** Placeholders and elements, in any order. */
const partsOf = (text: string): string => (text.match(/\{\{.*?\}\}|<[^>]*>/g) ?? []).sort().join(' ')

const edgesOf = (text: string): string => `${/^\s*/.exec(text)?.[0]}|${/\s*$/.exec(text)?.[0]}`

/** A text that is more than a sign, a unit or an abbreviation. */
const hasWords = (text: string): boolean => /\p{L}{4}/u.test(text.replaceAll(/\{\{.*?\}\}|<[^>]*>/g, ''))

function textsOf(id: string): Texts {
  const texts: Texts = new Map()
  const collect = (part: object, prefix: string) => {
    for (const [key, value] of Object.entries(part)) {
      if (typeof value === 'object') collect(value, `${prefix}${key}.`)
      else texts.set(prefix + key, String(value))
    }
  }
  collect(JSON.parse(readFileSync(fileOf(id), 'utf8')), '')
  return texts
}

function fileOf(id: string): string {
  return join(import.meta.dirname, `${id}.json`)
}
