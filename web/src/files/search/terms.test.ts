import { expect, test } from 'bun:test'
import { highlight, visibleTerms } from './terms.ts'

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
