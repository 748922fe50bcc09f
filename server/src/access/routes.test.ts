import { expect, test } from 'bun:test'
import { z } from 'zod'
import { returnsStatusLine } from '../http/returns.ts'
import { type Route, route, sampleAddress, sampleOf } from './routes.ts'

const common = { method: 'PUT', path: '/api/new/*', summary: 'New.', returns: returnsStatusLine() } as const
const answer = () => new Response()
const body = z.object({ name: z.string() })

/** Compiling is the test: an error that TypeScript no longer finds is one that it reports. */
export const mistakes = (): Route[] => [
  // @ts-expect-error without access
  route({ ...common, sample: { at: '' }, answer }),
  // @ts-expect-error without a sample
  route({ ...common, access: [], answer }),
  // @ts-expect-error a permission that does not exist
  route({ ...common, access: ['read'], sample: { at: '' }, answer }),
  // @ts-expect-error a sample that its own schema would refuse
  route({ ...common, access: [], body, sample: { at: '', body: { name: 1 } }, answer }),
  route({
    ...common,
    access: [],
    body,
    query: z.object({ deep: z.string() }),
    sample: { at: '', query: { deep: 'x' } },
    async answer(context) {
      const { name } = await context.body()
      // @ts-expect-error a field that the body's schema does not have
      const { other } = await context.body()
      // @ts-expect-error a query value that is not declared
      return Response.json([name, other, context.query.deep, context.query.shallow, context.scope])
    },
  }),
  route({
    ...common,
    access: 'anyone',
    sample: { at: '' },
    // @ts-expect-error no user is known to be signed in
    answer: (context) => Response.json(context.caller),
  }),
  route({
    ...common,
    access: 'visitors',
    takesAnyName: true,
    sample: { at: '' },
    // @ts-expect-error a visitor has no caller
    answer: (context) => Response.json([context.visit, context.caller]),
  }),
  route({
    ...common,
    access: [],
    guests: true,
    sample: { at: '' },
    // @ts-expect-error a guest has no account
    answer: (context) => Response.json(context.caller.user),
  }),
  route({
    ...common,
    access: [],
    sample: { at: '' },
    answer: (context) => Response.json(context.caller.user),
  }),
  // @ts-expect-error guests are for routes of users
  route({ ...common, access: 'anyone', guests: true, sample: { at: '' }, answer }),
]

test('the address of a sample is made from the path of its route', () => {
  const each = route({
    ...common,
    path: '/api/users/:id{[0-9]+}/of/:group',
    access: [],
    query: z.object({ a: z.string() }),
    sample: ({ userId }) => ({ params: { id: String(userId), group: 'a/b c' }, query: { a: '/x y' } }),
    answer,
  })
  const nothing = { groupId: 0, grantId: 0, mountId: 0, folder: '', jobId: '' }
  const fixture = { userId: 7, sessionId: '', username: '', password: '', link: '', ...nothing }
  expect(sampleAddress(each, sampleOf(each, fixture))).toBe('/api/users/7/of/a%2Fb%20c?a=%2Fx+y')
  expect(sampleAddress({ path: '/api/raw/*' }, { at: 'a%20b/' })).toBe('/api/raw/a%20b/')
  expect(sampleAddress({ path: '/api/users' }, {})).toBe('/api/users')
})
