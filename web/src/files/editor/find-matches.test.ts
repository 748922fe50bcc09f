import { expect, test } from 'bun:test'
import { SearchQuery } from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import { countMatches, mostCounted } from './find-matches.ts'

const textOf = (doc: string, anchor = 0, head = anchor) => EditorState.create({ doc, selection: { anchor, head } })

test('counts the matches and finds the selected one among them', () => {
  const query = new SearchQuery({ search: 'tea' })
  expect(countMatches(textOf('tea, Tea, steam'), query)).toEqual({ total: 3, isMore: false, at: 0 })
  expect(countMatches(textOf('tea, Tea, steam', 5, 8), query)).toEqual({ total: 3, isMore: false, at: 2 })
})

/** However long it takes. */
const matchesIn = (text: ReturnType<typeof textOf>, query: SearchQuery) =>
  countMatches(text, query, Number.POSITIVE_INFINITY)

test('case, whole words and expressions narrow the matches', () => {
  const text = textOf('tea, Tea, steam')
  expect(matchesIn(text, new SearchQuery({ search: 'tea', caseSensitive: true })).total).toBe(2)
  expect(matchesIn(text, new SearchQuery({ search: 'tea', wholeWord: true })).total).toBe(2)
  expect(matchesIn(text, new SearchQuery({ search: 't.a\\b', regexp: true })).total).toBe(2)
})

test('an empty query and an invalid expression match nothing', () => {
  expect(matchesIn(textOf('tea'), new SearchQuery({ search: '' })).total).toBe(0)
  expect(matchesIn(textOf('tea'), new SearchQuery({ search: '(', regexp: true })).total).toBe(0)
})

test('counting ends at the limit, and when the time is over', () => {
  const query = new SearchQuery({ search: 'a' })
  const many = textOf('a'.repeat(mostCounted + 1))
  expect(countMatches(many, query, Number.POSITIVE_INFINITY)).toEqual({ total: mostCounted, isMore: true, at: 0 })
  expect(countMatches(many, query, -1)).toEqual({ total: 0, isMore: true, at: 0 })
})
