import { expect, test } from 'bun:test'
import { highlight, narrowed, rankOf, visibleTerms } from './terms.ts'

test('filters and quotes are not looked for in names', () => {
  expect(visibleTerms('type:image "summer trip" Harz case:sensitive')).toEqual(['summer trip', 'Harz'])
})

test('a name is cut where the words are, whatever their case', () => {
  expect(highlight('Harz route, harz.pdf', ['harz'])).toEqual([
    { text: 'Harz', isMatch: true },
    { text: ' route, ', isMatch: false },
    { text: 'harz', isMatch: true },
    { text: '.pdf', isMatch: false },
  ])
})

test('signs of regular expressions are just signs', () => {
  expect(highlight('a(1)-[b].c++', ['(1)', '-[', 'c++']).filter(({ isMatch }) => isMatch)).toEqual([
    { text: '(1)', isMatch: true },
    { text: '-[', isMatch: true },
    { text: 'c++', isMatch: true },
  ])
})

test('without words everything stays in one piece', () => {
  expect(highlight('name', [])).toEqual([{ text: 'name', isMatch: false }])
})

test('the whole name comes first, then its beginning, then the beginning of a word, then what lies less deep', () => {
  const paths = ['a/b/harzreise.txt', 'a/the-harz.txt', 'xharz.txt', 'harzreise.txt', 'a/Harz.txt', 'a/harz']
  expect(paths.toSorted((a, b) => rankOf(a, ['harz']) - rankOf(b, ['harz']))).toEqual([
    'a/Harz.txt',
    'a/harz',
    'harzreise.txt',
    'a/b/harzreise.txt',
    'a/the-harz.txt',
    'xharz.txt',
  ])
})

test('results of the query before are narrowed by what was typed since, and dropped with another filter', () => {
  const found = ['Trips/HARZ-view.jpg', 'harz/other.jpg', 'Übung harz.txt'].map((name) => ({ name }))
  const names = (before: string, now: string) => narrowed(found, before, now).map(({ name }) => name)
  expect(names('ha', 'harz')).toEqual(['Trips/HARZ-view.jpg', 'Übung harz.txt'])
  expect(names('harz', 'harz ÜBUNG'.normalize('NFD'))).toEqual(['Übung harz.txt'])
  expect(names('harz', 'type:image harz')).toEqual([])
})
