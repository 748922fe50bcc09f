import { expect, test } from 'bun:test'
import { allRights, type Right, rightSet } from '@filestead/contract'
import { parseLocation } from '../mounts/location.ts'
import { explain, type PersonalGrant, type WhyFacts } from './why.ts'

let id = 0
const grant = (subject: string, location: string, ...rights: Right[]): PersonalGrant => {
  id += 1
  const name = subject === 'group:2' ? 'Team' : subject === 'user:3' ? 'alice' : subject
  return { id, subject, name, location: parseLocation(location), rights: rightSet(...rights), isHome: false }
}
const home: PersonalGrant = { ...grant('user:3', '/users/alice'), id: 0, rights: allRights, isHome: true }

const why = (location: string, grants: readonly PersonalGrant[], more: Partial<WhyFacts> = {}) =>
  explain({
    person: 'alice',
    location: parseLocation(location),
    grants,
    mount: { name: 'Files', readOnly: false },
    permitted: allRights,
    ...more,
  })

test('without a grant on the way, nothing is allowed, and a grant is what it takes', () => {
  const { rights, deciding, isCorridor, reason, change } = why('/projects/a', [home])
  expect([rights, deciding, isCorridor]).toEqual([[], [], false])
  expect(reason).toBe(
    'alice may do nothing in Files:/projects/a: no grant for alice, a group of alice or everybody is for this folder or one above it.',
  )
  expect(change).toContain('make a grant for alice, a group of alice or everybody in this folder')
})

test('the home is told as what decides, until a grant in it goes deeper', () => {
  const whole = why('/users/alice/a', [home])
  expect(whole.rights).toHaveLength(6)
  expect(whole.deciding.map(({ isHome, folder }) => [isHome, folder])).toEqual([[true, '/users/alice']])
  expect(whole.reason).toContain('by the home of alice in Files:/users/alice')
  expect(whole.change).toStartWith('Nothing is missing')

  const less = why('/users/alice/a', [home, grant('everybody', '/users/alice/a', 'see')])
  expect([less.rights, less.deciding.map(({ name }) => name)]).toEqual([['see'], ['everybody']])
})

test('grants of the deepest folder add up, and all of them are told', () => {
  const grants = [
    grant('everybody', '/', 'see', 'download'),
    grant('group:2', '/projects', 'see'),
    grant('user:3', '/projects', 'see', 'create'),
  ]
  const { rights, deciding, reason } = why('/projects/a/b', grants)
  expect(rights).toEqual(['see', 'create'])
  expect(deciding.map(({ subject }) => subject)).toEqual(['group:2', 'user:3'])
  expect(reason).toBe(
    'alice may see and add files here by the grant for the group "Team" and the grant for alice in Files:/projects.',
  )
})

test('an empty grant is told as the end of all rights', () => {
  const { rights, reason } = why('/private/a', [grant('everybody', '/', 'see'), grant('everybody', '/private')])
  expect(rights).toEqual([])
  expect(reason).toContain('the grant for everybody in Files:/private allows nothing from there on down')
})

test('a folder above a grant is a corridor', () => {
  const grants = [grant('user:3', '/deep/in/here', 'see')]
  const { isCorridor, rights, reason } = why('/deep', grants)
  expect([isCorridor, rights]).toEqual([true, []])
  expect(reason).toContain('only the names that lead to folders with grants below show')
  expect(why('/deep/in/here/a', grants).isCorridor).toBe(false)
  expect(why('/other', grants).isCorridor).toBe(false)
})

test('permissions of the account, a read-only mount and a rule take rights away, and each is named', () => {
  const grants = [grant('user:3', '2:/a', 'see', 'download', 'create', 'delete')]
  const lacking = why('2:/a', grants, { permitted: allRights & ~rightSet('download', 'share') })
  expect(lacking.rights).toEqual(['see', 'create', 'delete'])
  expect(lacking.reason).toContain('the account of alice lacks the permission to download')
  expect(lacking.change).toContain('give the account the permission to download')

  const readOnly = why('2:/a', grants, { mount: { name: 'Photos', readOnly: true } })
  expect(readOnly.rights).toEqual(['see', 'download'])
  expect(readOnly.reason).toContain('"Photos" is read-only, so alice cannot add files or delete')
  expect(readOnly.change).toContain('make "Photos" writable')

  const hiddenBy = { reason: 'the rule "/a" hides it from alice', change: 'change the rule "/a"' }
  const hidden = why('2:/a', grants, { hiddenBy })
  expect([hidden.rights, hidden.isCorridor]).toEqual([[], false])
  expect([hidden.reason, hidden.change]).toEqual([
    expect.stringContaining('the rule "/a" hides it from alice'),
    expect.stringContaining('Change the rule "/a"'),
  ])
})

test('guests are called by their name, and cannot share', () => {
  const grants = [grant('guest', '/', 'see', 'download', 'share')]
  const { reason, change } = why('/a', grants, { person: undefined, permitted: allRights & ~rightSet('share') })
  expect(reason).toBe(
    'Guests may see, download and share here by the grant for guests in Files:/; but to share takes an account.',
  )
  expect(change).toContain('guests have to sign in for that')
})

test('names that the mount takes for the same are one folder', () => {
  const spell = (_mount: number, name: string) => name.toLowerCase()
  const grants = [grant('user:3', '/Projects', 'see')]
  expect(why('/PROJECTS/a', grants, { spell }).deciding).toHaveLength(1)
  expect(why('/PROJECTS/a', grants).deciding).toHaveLength(0)
})
