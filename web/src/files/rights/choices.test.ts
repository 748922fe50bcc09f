import { expect, test } from 'bun:test'
import type { Group, User } from '@filestead/contract'
import '../../i18n/i18n.ts'
import { type Choice, choicesOfSubjects, idOf, matching } from './choices.ts'

const person = (id: number, username: string) => ({ id, username }) as User
const group = (id: number, name: string, members: number[] = []): Group => ({ id, name, source: 'local', members })

test('everybody and guests come before groups, groups before people, each by name', () => {
  const choices = choicesOfSubjects([person(2, 'zoe'), person(1, 'anna')], [group(9, 'Team', [1, 2])])
  expect(choices.map(({ key }) => key)).toEqual(['everybody', 'guest', 'group:9', 'user:1', 'user:2'])
  expect(choices[2]?.note).toBe('2 members')
  expect(choices.slice(3).map(({ key }) => idOf(key))).toEqual([1, 2])
})

const named = (...labels: string[]): Choice[] =>
  labels.map((label, index) => ({ key: `user:${index + 1}`, label, icon: 'user' }))

test('names that begin with the text come before those that hold it, in any case', () => {
  const { shown, more } = matching(named('Johanna', 'ANNA', 'bert', 'annika'), 'ann')
  expect(shown.map(({ label }) => label)).toEqual(['ANNA', 'annika', 'Johanna'])
  expect(more).toBe(0)
})

test('of 10,000 people the first are shown, and the others counted', () => {
  const many = named(...Array.from({ length: 10_000 }, (_, index) => `person ${index}`))
  expect(matching(many, '')).toMatchObject({ shown: { length: 50 }, more: 9950 })
  expect(matching(many, 'person 9999').shown.map(({ label }) => label)).toEqual(['person 9999'])
})
