import { describe, expect, test } from 'bun:test'
import { Failure } from '../failure.ts'
import { inputOf } from './input.ts'
import type { Connection, RequestContext } from './request.ts'
import { type HttpRoute, type Method, routerOf } from './router.ts'

const told = (name: string) => (context: RequestContext) =>
  Response.json({ name, rest: context.match.rest, params: context.match.params })

const at = (method: Method, path: string, more: Partial<HttpRoute> = {}): HttpRoute => ({
  method,
  path,
  input: inputOf({}),
  answer: told(`${method} ${path}`),
  ...more,
})

const page = at('GET', '/*', { answer: () => new Response('page') })

function routerWith(...routes: HttpRoute[]) {
  const reported: unknown[] = []
  const fetch = routerOf(routes, page, (error) => void reported.push(error))
  const ask = async (method: string, path: string): Promise<Response> =>
    fetch(
      { method, url: `http://localhost${path}`, headers: new Headers(), body: null } as Request,
      {
        path,
      } as Connection,
    )
  return { ask, reported, found: async (path: string) => (await ask('GET', path)).json() }
}

describe('A wildcard', () => {
  const { ask, found } = routerWith(at('GET', '/api/raw/*'))

  test.each([
    ['/api/raw', ''],
    ['/api/raw/', ''],
    ['/api/raw/a/b%20c/', 'a/b%20c/'],
    ['/api/raw//a', '/a'],
    ['/api/raw/%zz', '%zz'],
  ])('of %s stands for %j, as it was sent', async (path, rest) => {
    expect(await found(path)).toMatchObject({ rest, params: {} })
  })

  test('does not begin inside of a name', async () => {
    expect((await ask('GET', '/api/rawer')).status).toBe(404)
    expect((await ask('GET', '/api//raw/a')).status).toBe(404)
  })
})

describe('A parameter', () => {
  const { ask, found } = routerWith(at('GET', '/api/users/:id{[0-9]+}'), at('GET', '/api/sessions/:id'))

  test.each([
    ['/api/users/42', '42'],
    ['/api/sessions/a%20b', 'a b'],
    ['/api/sessions/a%2fb', 'a/b'],
    ['/api/sessions/%zz', '%zz'],
    ['/api/sessions/%ff', '%ff'],
    ['/api/sessions/__proto__', '__proto__'],
  ])('of %s is %j', async (path, id) => {
    expect(await found(path)).toMatchObject({ rest: '', params: { id } })
  })

  test.each(['/api/users/', '/api/users/x', '/api/users/4x', '/api/users/4/', '/api/sessions/', '/api/sessions/a/b'])(
    'is not found in %s',
    async (path) => {
      expect((await ask('GET', path)).status).toBe(404)
    },
  )

  test('cannot stand before a wildcard', () => {
    expect(() => routerWith(at('GET', '/api/:room/*'))).toThrow('/api/:room/*')
  })
})

describe('Of several routes that fit, the first one answers', () => {
  test.each([
    [['/a/b/*', '/a/*'], '/a/b/c', '/a/b/*'],
    [['/a/*', '/a/b/*'], '/a/b/c', '/a/*'],
    [['/a/b', '/a/*'], '/a/b', '/a/b'],
    [['/a/*', '/a/b'], '/a/b', '/a/*'],
    [['/a/:id', '/a/b'], '/a/b', '/a/:id'],
    [['/a/b', '/a/b'], '/a/b', '/a/b'],
  ])('of %p for %s it is %s', async (paths, path, expected) => {
    const { found } = routerWith(...paths.map((each) => at('GET', each)))
    expect(await found(path)).toMatchObject({ name: `GET ${expected}` })
  })
})

describe('Methods', () => {
  const { ask } = routerWith(
    at('GET', '/api/a'),
    at('PUT', '/api/a'),
    at('PROPFIND', '/api/dav/*'),
    at('MKCOL', '/api/dav/*', { answerHeaders: ({ method }) => ({ dav: '1', asked: method }) }),
  )

  test('HEAD reaches the route of GET', async () => {
    expect(await (await ask('HEAD', '/api/a')).json()).toMatchObject({ name: 'GET /api/a' })
  })

  test.each(['PROPFIND', 'MKCOL'])('%s can be a method of a route', async (method) => {
    expect(await (await ask(method, '/api/dav/x')).json()).toMatchObject({ name: `${method} /api/dav/*`, rest: 'x' })
  })

  test.each([
    ['POST', '/api/a', 'GET, HEAD, PUT'],
    ['NONSENSE', '/api/a', 'GET, HEAD, PUT'],
    ['get', '/api/a', 'GET, HEAD, PUT'],
    ['HEAD', '/api/dav/x', 'PROPFIND, MKCOL'],
    ['__proto__', '/api/a', 'GET, HEAD, PUT'],
  ])('%s %s answers 405 and tells the others', async (method, path, allowed) => {
    const response = await ask(method, path)
    expect([response.status, response.headers.get('allow')]).toEqual([405, allowed])
  })

  test('headers of a route come with every answer at its path', async () => {
    for (const [method, status] of [
      ['MKCOL', 200],
      ['PUT', 405],
    ] as const) {
      const response = await ask(method, '/api/dav/x')
      expect([response.status, response.headers.get('dav'), response.headers.get('asked')]).toEqual([
        ...[status, '1', method],
      ])
    }
    expect((await ask('PROPFIND', '/api/dav/x')).headers.has('dav')).toBe(false)
  })
})

test('what no route fits is the page, below /api it is nothing', async () => {
  const { ask } = routerWith(at('GET', '/api/a'))
  expect(await (await ask('GET', '/files/a')).text()).toBe('page')
  expect(await (await ask('GET', '/apiary')).text()).toBe('page')
  const statuses = [await ask('POST', '/files/a'), await ask('GET', '/api'), await ask('GET', '/api/none')]
  expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404])
})

test.each([
  [
    'at once',
    () => {
      throw new Failure('not-found', 'gone')
    },
  ],
  [
    'later',
    async () => {
      throw new Failure('not-found', 'gone')
    },
  ],
] as const)('an answer that fails %s is a refusal, and reported once', async (_when, answer) => {
  const answerHeaders = () => ({ dav: '1' })
  const { ask, reported } = routerWith(at('GET', '/api/a', { answer, answerHeaders }))
  const response = await ask('GET', '/api/a')
  expect([response.status, response.headers.get('dav'), reported.length]).toEqual([404, '1', 1])
})
