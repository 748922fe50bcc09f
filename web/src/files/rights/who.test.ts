import { describe, expect, test } from 'bun:test'
import type { Grant, Group, Right, Subject } from '@filestead/contract'
import { holdersOf, losersOf, rightsOf } from './who.ts'

const anna = { id: 1, username: 'anna', scope: '/users/anna' }
const bob = { id: 2, username: 'bob', scope: './users/bob/' }
const chief = { id: 3, username: 'chief', scope: '/' }
const users = [anna, bob, chief]
const family: Group = { id: 7, name: 'Family', source: 'local', members: [1, 2] }
const people = { users, groups: [family] }

let lastId = 0
const grant = (subject: Subject, folder: string, rights: Right[], mount = 1): Grant => {
  lastId += 1
  return { id: lastId, subject, name: subject, mount, folder, rights }
}

const shown = (folder: string, grants: Grant[], mount = 1) => {
  const holders = holdersOf({ mount, folder }, grants, people)
  return [
    ...holders.grants.map((each) => `${each.subject} ${each.folder}`),
    ...holders.homes.map((home) => `${home.folder}: ${home.users.map(({ username }) => username)}`),
  ]
}

describe('who has rights at a place', () => {
  test('grants for the folder, then those of folders above, then homes', () => {
    const grants = [
      grant('group:7', '/', ['see']),
      grant('guest', '/Photos', ['see']),
      grant('everybody', '/Photos/2024', ['see']),
      grant('user:1', '/Music', ['see']),
    ]
    expect(shown('/Photos', grants)).toEqual(['guest /Photos', 'group:7 /', '/: chief'])
  })

  test('a grant for everybody in a deeper folder overrules groups, people and homes, but not guests', () => {
    const grants = [
      grant('user:1', '/', ['see']),
      grant('group:7', '/', ['see']),
      grant('guest', '/', ['see']),
      grant('everybody', '/Photos', []),
    ]
    expect(shown('/Photos/2024', grants)).toEqual(['everybody /Photos', 'guest /'])
  })

  test('a group in a deeper folder overrules its members, and nobody else', () => {
    const grants = [grant('user:1', '/', ['see']), grant('user:3', '/Photos', ['see']), grant('group:7', '/Photos', [])]
    expect(shown('/Photos', grants)).toEqual(['group:7 /Photos', 'user:3 /Photos'])
  })

  test('a home counts as written with dots, in the first mount alone', () => {
    expect(shown('/users/bob/letters', [])).toEqual(['/users/bob: bob', '/: chief'])
    expect(shown('/users/bob/letters', [], 2)).toEqual([])
  })
})

describe('the rights of one user', () => {
  const at = (user: typeof anna, folder: string, grants: Grant[], mount = 1) =>
    rightsOf(user, { mount, folder }, grants, [family])

  test('rights of the deepest folder add up', () => {
    const grants = [
      grant('user:1', '/a', ['see', 'delete']),
      grant('group:7', '/a/b', ['see']),
      grant('everybody', '/a/b', ['create']),
    ]
    expect(at(anna, '/a/b/c', grants)).toEqual(['see', 'create'])
    expect(at(chief, '/a/b/c', [grant('group:7', '/a/b', ['see'])])).toHaveLength(6)
  })

  test('an empty grant below a home leaves nothing', () => {
    expect(at(chief, '/private/x', [grant('everybody', '/private', [])])).toEqual([])
    expect(at(chief, '/', [], 2)).toEqual([])
  })
})

test('those who lose rights by a change are found, and nobody whose rights stay', () => {
  const place = { mount: 1, folder: '/users/anna' }
  const before = [grant('group:7', '/users/anna', ['see'])]
  const losers = (after: Grant[]) => losersOf(place, { before, after }, people).map(({ username }) => username)
  expect(losers([...before, grant('everybody', '/users/anna', ['see', 'download'])])).toEqual(['chief'])
  expect(losers([])).toEqual(['bob'])
  expect(losers(before)).toEqual([])
})
