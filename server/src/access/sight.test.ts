import { expect, test } from 'bun:test'
import { completeRights, type Right, type RightSet, type Rule, rightsIn } from '@filestead/contract'
import { parseLocation } from '../mounts/location.ts'
import type { MountFacts } from '../mounts/store.ts'
import { parsePath } from '../storage/path.ts'
import { type ActorGrant, Granted } from './granted.ts'
import { folded, isShortened, visibilityOf } from './rules.ts'
import { Sight } from './sight.ts'
import { homeOf, treeOf } from './tree.ts'

interface World {
  scope?: string
  grants?: Record<string, Right[]>
  rules?: Rule[]
  hideDotfiles?: boolean
  foldsCase?: boolean
  readOnly?: number[]
  realHome?: string
}

const mounts = ['Files', 'Photos'].map(
  (name, index): MountFacts => ({
    ...{ id: index + 1, name, folder: '', links: 'inside', readOnly: false, source: 'stored' },
  }),
)
const deny = (path: string): Rule => ({ regex: false, allow: false, path, regexp: null })

/** What an account sees that has a home, these grants and these rules. */
function sightIn({ scope = '/users/bob', grants = {}, rules = [], foldsCase = false, ...world }: World): Sight {
  const given: ActorGrant[] = Object.entries(grants).map(([location, rights]) => ({
    location: parseLocation(location),
    rights: completeRights(rights),
  }))
  const home = homeOf(scope)
  const realHome = world.realHome === undefined ? undefined : parseLocation(world.realHome)
  const homes = [home, realHome].filter((each) => each !== undefined)
  const spell = (_mount: number, name: string) =>
    foldsCase ? (isShortened(`/${name}`) ? undefined : folded(name)) : name
  const all: RightSet = 63
  return new Sight({
    ...{ tree: treeOf(home, mounts, given), home, realHome },
    granted: new Granted([...given, ...homes.map((location) => ({ location, rights: all }))], spell),
    readOnlyMounts: new Set(world.readOnly ?? []),
    foldsCase: () => foldsCase,
    visibilityIn: () => visibilityOf(rules, world.hideDotfiles ?? false, { foldsCase }),
  })
}

const rightsAt = (sight: Sight, path: string) => rightsIn(sight.rightsAt(parsePath(path))).join(' ')
const shown = (sight: Sight, folder: string, ...names: string[]) => names.filter(sight.inFolder(parsePath(folder)))
const sees = (sight: Sight, ...paths: string[]) => paths.filter((path) => sight.sees(parsePath(path)))

test('a folder above a granted one shows only the names that lead on', () => {
  const sight = sightIn({ grants: { '/team/a/deep': ['download'], '/team/b': [] } })
  expect(shown(sight, '/', 'Home', 'Files', 'Photos', 'Other')).toEqual(['Home', 'Files'])
  expect(shown(sight, '/Files', 'team', 'users', 'else')).toEqual(['team', 'users'])
  expect(shown(sight, '/Files/team', 'a', 'b', 'c')).toEqual(['a'])
  expect(shown(sight, '/Files/team/a', 'deep', 'deeper')).toEqual(['deep'])
  expect(shown(sight, '/Files/team/a/deep', 'x', 'y')).toEqual(['x', 'y'])
  expect([rightsAt(sight, '/Files/team/a'), rightsAt(sight, '/Files/team/a/deep/x')]).toEqual(['', 'see download'])
  const paths = ['/', '/Files', '/Files/team/a', '/Files/team/b', '/Files/team/a/x', '/Files/team/a/deep/x', '/Photos']
  expect(sees(sight, ...paths)).toEqual(['/', '/Files', '/Files/team/a', '/Files/team/a/deep/x'])
})

test('a folder that may be filled and not seen is shown, and nothing in it', () => {
  const sight = sightIn({ grants: { '2:/box': ['create'] } })
  expect(sees(sight, '/Photos/box', '/Photos/box/a')).toEqual(['/Photos/box'])
  expect(shown(sight, '/Photos/box', 'a')).toEqual([])
  expect(sight.allows(parsePath('/Photos/box/a'), 'create')).toBe(true)
  expect(sight.allows(parsePath('/Photos/box/a'), 'change')).toBe(false)
})

test('a read-only mount takes away what would change it, in every part of it', () => {
  const grants: World['grants'] = { '2:/': ['see', 'create', 'delete', 'share'], '2:/box': ['create'] }
  const sight = sightIn({ grants, readOnly: [2] })
  expect([rightsAt(sight, '/Home/a'), rightsAt(sight, '/Photos/a')]).toEqual([
    ...['see download create change delete share', 'see download share'],
  ])
  expect(rightsIn(sight.rightsIn(parsePath('/Photos')).rightsOf('box'))).toEqual([])
  expect(rightsIn(sight.rightsThroughout(parsePath('/Photos')))).toEqual([])
})

test('the top can be listed, and its parts be neither renamed nor removed there', () => {
  const top = sightIn({ grants: { '2:/': ['delete'] } }).rightsIn(parsePath('/'))
  expect(rightsIn(top.rights)).toEqual(['see'])
  expect(rightsIn(top.rightsOf('Home'))).toEqual(['see', 'download', 'create', 'share'])
  expect([rightsIn(top.rightsOf('Photos')), rightsIn(top.rightsOf('Files'))]).toEqual([['see'], []])
})

test('rules count from the home for what is in it, whichever name leads there, and else from the mount', () => {
  const sight = sightIn({ grants: { '/': ['see'], '2:/': ['see'] }, rules: [deny('/secret'), deny('/users/eve')] })
  const paths = ['/Home/secret', '/Files/users/bob/secret', '/Files/secret', '/Photos/secret/x', '/Files/users/eve']
  expect(sees(sight, ...paths)).toEqual([])
  expect(sees(sight, '/Home/users/eve', '/Files/users', '/Files/users/secret')).toEqual([
    ...['/Files/users', '/Files/users/secret'],
  ])
  expect(shown(sight, '/Files/users/bob', 'secret', 'open')).toEqual(['open'])
  expect(shown(sight, '/Files/users', 'bob', 'eve', 'secret')).toEqual(['bob', 'secret'])
  expect([sight.mayDenyBelow(parsePath('/Files/users')), sight.mayDenyBelow(parsePath('/Home/open'))]).toEqual([
    ...[true, false],
  ])
})

test('a rule that denies the folders of homes leaves the own home visible', () => {
  const sight = sightIn({ grants: { '/': ['see'] }, rules: [deny('/users')] })
  expect(shown(sight, '/Files', 'users', 'team')).toEqual(['team'])
  expect(sees(sight, '/Home/a', '/Files/users/bob/a', '/Files/users/eve')).toEqual(['/Home/a', '/Files/users/bob/a'])
  expect(sight.maySeeBelow(parsePath('/Files/users'))).toBe(true)
})

test('on a volume that folds case, every spelling of a folder has its rights, and a shortened one has none', () => {
  const grants: World['grants'] = { '/': ['see', 'change'], '/Private Things': [] }
  const sight = sightIn({ grants, foldsCase: true, rules: [deny('/secret')] })
  for (const name of ['private things', 'PRIVATE THINGS', 'Private Things. ', 'PRIVAT~1', 'privat~1/x'])
    expect([name, rightsAt(sight, `/Files/${name}`)]).toEqual([name, ''])
  expect(shown(sight, '/Files', 'private things', 'PRIVAT~1', 'open')).toEqual(['open'])
  expect(rightsAt(sight, '/Files/open/OTHERN~1')).toBe('see change')
  // The rules of the home hold for all of its names.
  expect(sees(sight, '/Files/USERS/Bob/Secret', '/Files/users/BOB/open')).toEqual(['/Files/users/BOB/open'])
})

test('the rights in a home that is a symlink are those of the place it leads to', () => {
  const grants: World['grants'] = { '/data/bob/private': [], '/team': ['see'], '/users/bob/open': [] }
  const sight = sightIn({ grants, realHome: '/data/bob', rules: [deny('/secret')] })
  expect([rightsAt(sight, '/Home/private'), rightsAt(sight, '/Home/private/x')]).toEqual(['', ''])
  expect(rightsAt(sight, '/Home/open')).toBe('see download create change delete share')
  expect(shown(sight, '/Home', 'private', 'open', 'secret')).toEqual(['open'])
  expect(sees(sight, '/Files/data/bob/secret', '/Files/data/bob/open')).toEqual(['/Files/data/bob/open'])
})

test('hidden dotfiles stay hidden below a part, and the right to create does not bring them back', () => {
  const sight = sightIn({ grants: { '2:/': ['create', 'see'] }, hideDotfiles: true })
  expect(sees(sight, '/Photos/.git/x', '/Photos/a.txt')).toEqual(['/Photos/a.txt'])
  expect(sight.allows(parsePath('/Photos/.git/x'), 'create')).toBe(false)
})
