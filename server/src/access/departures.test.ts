import { expect, test } from 'bun:test'
import { allRights, noRights, User } from '@filestead/contract'
import { parseLocation } from '../mounts/location.ts'
import { parsePath } from '../storage/path.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { accessTo } from './access.fixture.ts'
import { actorOf } from './actor.ts'
import { departuresOf, type FormerGrant } from './departures.ts'

const actor = actorOf(User.parse({ id: 1, username: 'ann', scope: '/' }), [])
const grant = (path: string, rights: number) => ({ location: parseLocation(path), rights })
const former = (path: string, rights: number, endedAt: number): FormerGrant => ({ ...grant(path, rights), endedAt })

/** What an account without a home may do at a path in an older state. */
async function rightsBefore(
  path: string,
  {
    present,
    left,
    foldsCase = false,
  }: { present: ReturnType<typeof grant>[]; left: FormerGrant[]; foldsCase?: boolean },
): Promise<number | undefined> {
  const storage = memoryStorage({ ...memoryStorage().capabilities, foldsCase })
  const grants = [grant('/', allRights), ...present]
  const view = await accessTo(storage, { home: undefined, grants, former: async () => left }).viewBefore(actor, 0)
  return view.rights?.rightsAt(parsePath(path))
}

test('a folder that stands now where another one was by another case opens nothing of that', async () => {
  const [present, left] = [[grant('/docs', allRights)], [former('/Docs', noRights, 1)]]
  expect(await rightsBefore('/docs/a', { present, left, foldsCase: true })).toBe(noRights)
  expect(await rightsBefore('/docs/a', { present, left })).toBe(allRights)
})

test('of folders that were called by one name in two cases, each counts by itself', async () => {
  const left = [former('/Docs', noRights, 1), former('/docs', allRights, 2)]
  expect(await rightsBefore('/docs/a', { present: [], left, foldsCase: true })).toBe(noRights)
})

test('a folder that has left its place again and again counts once', () => {
  const left = [1, 2, 3].flatMap((at) => [former('/a/in', allRights, at), former('/a', noRights, at)])
  expect(departuresOf(left, (location) => location).map(({ grants }) => grants.length)).toEqual([2])
})

test('the departures of thousands of folders cost a few looks each', () => {
  let looks = 0
  const left = Array.from({ length: 5000 }, (_, at) => ({
    ...former('/', noRights, at),
    get location() {
      looks += 1
      return parseLocation(`/team/${at}`)
    },
  }))
  expect(departuresOf(left, (location) => location)).toHaveLength(1)
  expect(looks).toBeLessThan(5000 * 10)
})
