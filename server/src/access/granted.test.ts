import { expect, test } from 'bun:test'
import { allRights, noRights, type RightSet, segmentsOf } from '@filestead/contract'
import fc from 'fast-check'
import { isWithin, type Location, mountOf, parseLocation, pathIn } from '../mounts/location.ts'
import { type ActorGrant, Granted } from './granted.ts'

/** The semantics word for word, and as slow as that: the deepest folder with a grant decides, its grants add up. */
function slowRights(grants: readonly ActorGrant[], location: Location): RightSet {
  const around = grants.filter((grant) => isWithin(location, grant.location))
  const depth = Math.max(...around.map((grant) => segmentsOf(pathIn(grant.location)).length))
  return around
    .filter((grant) => segmentsOf(pathIn(grant.location)).length === depth)
    .reduce((sum, { rights }) => sum | rights, noRights)
}

const folders = fc
  .tuple(fc.integer({ min: 1, max: 2 }), fc.array(fc.constantFrom('a', 'b', 'ab'), { maxLength: 4 }))
  .map(([mount, names]) => parseLocation(`${mount === 1 ? '' : `${mount}:`}/${names.join('/')}`))
const someGrants = fc.array(
  fc.record({ location: folders, rights: fc.oneof(fc.constant(noRights), fc.integer({ min: 0, max: allRights })) }),
  { maxLength: 8 },
)

test('the rights at a location are those that the semantics say', () => {
  fc.assert(
    fc.property(someGrants, folders, (grants, location) => {
      expect(new Granted(grants).rightsAt(location)).toBe(slowRights(grants, location))
    }),
  )
})

test('the rights throughout a folder hold at every folder below it', () => {
  fc.assert(
    fc.property(someGrants, folders, (grants, folder) => {
      const places = grants.map(({ location }) => location).filter((location) => isWithin(location, folder))
      const common = [folder, ...places].reduce((all, location) => all & slowRights(grants, location), allRights)
      expect(new Granted(grants).rightsThroughout(folder)).toBe(common)
    }),
  )
})

test('a folder leads on where a grant at or below it allows something', () => {
  fc.assert(
    fc.property(someGrants, folders, (grants, folder) => {
      const leads = grants.some(({ location, rights }) => rights !== noRights && isWithin(location, folder))
      expect(new Granted(grants).leadsOn(folder)).toBe(leads)
    }),
  )
})

test('the entries of a folder are answered as one by one', () => {
  fc.assert(
    fc.property(someGrants, folders, (grants, folder) => {
      const granted = new Granted(grants)
      const inside = granted.inFolder(folder)
      expect(inside.rights).toBe(granted.rightsAt(folder))
      for (const name of ['a', 'b', 'ab', 'other']) {
        const place = parseLocation(
          `${mountOf(folder) === 1 ? '' : '2:'}${pathIn(folder) === '/' ? '' : pathIn(folder)}/${name}`,
        )
        expect([inside.rightsOf(name), inside.leadsOn(name)]).toEqual([granted.rightsAt(place), granted.leadsOn(place)])
        expect(inside.varies || inside.rightsOf(name) === inside.rights).toBe(true)
      }
    }),
  )
})

test('names that a mount takes for one are one', () => {
  const grants = [{ location: parseLocation('/Closed'), rights: noRights }]
  const folding = new Granted([{ location: parseLocation('/'), rights: allRights }, ...grants], (_mount, name) =>
    name.toLowerCase(),
  )
  expect(folding.rightsAt(parseLocation('/CLOSED/x'))).toBe(noRights)
})
