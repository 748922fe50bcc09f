import { expect, test } from 'bun:test'
import { Credentials } from '@filestead/contract'
import { z } from 'zod'
import { type Route, route } from '../access/routes.ts'
import { returnsJson, returnsStatusLine } from '../http/returns.ts'
import { openApi } from './openapi.ts'

const done = () => new Response()
const common = { summary: 'A sentence.', returns: returnsStatusLine(), answer: done }
const byQuery = { byQuery: 'action', permissions: { copy: 'create', rename: 'rename' } } as const
const listed = z.array(z.string().min(1)).nullish()
const Answered = z.object({ names: listed.transform((names) => names ?? []) })
const routes: Route[] = [
  route({ ...common, method: 'PATCH', path: '/api/resources/*', access: byQuery, sample: { at: 'a.txt' } }),
  route({
    ...common,
    method: 'PUT',
    path: '/api/users/:id{[0-9]+}',
    access: [],
    returns: returnsJson(Answered, 'A user'),
    sample: { params: { id: '7' } },
  }),
  route({
    ...common,
    method: 'POST',
    path: '/api/login',
    access: 'anyone',
    body: Credentials,
    sample: { body: { username: 'a', password: 'b' } },
  }),
  route({ ...common, method: 'PROPFIND', path: '/api/dav/*', access: [], sample: { at: '' } }),
  route({ ...common, method: 'GET', path: '/health', access: 'anyone', sample: {} }),
]
const { paths } = openApi(routes, { version: '1', baseURL: '/fb' })

test('paths are written the way OpenAPI writes them, and only those of the API', () => {
  expect(Object.keys(paths)).toEqual([...['/api/resources/{path}', '/api/users/{id}', '/api/login', '/api/dav/{path}']])
})

test('a method that OpenAPI does not know is an extension', () => {
  expect(Object.keys(paths['/api/dav/{path}'] ?? {})).toEqual(['x-propfind'])
})

test('a route tells who may use it', () => {
  expect(paths['/api/resources/{path}']?.patch).toMatchObject({
    description: expect.stringContaining('copy: create, rename: rename'),
    security: [{ token: [] }, { cookie: [] }],
  })
  expect(paths['/api/login']?.post).not.toHaveProperty('security')
})

test('a body is described by the schema that checks it, and shown by its sample', () => {
  expect(paths['/api/login']?.post).toMatchObject({
    requestBody: {
      content: {
        'application/json': {
          schema: { properties: { username: { type: 'string' } } },
          example: { username: 'a', password: 'b' },
        },
      },
    },
    'x-codeSamples': [{ source: `curl -X POST -d '{"username":"a","password":"b"}' "$SERVER/fb/api/login"` }],
  })
})

test('an answer is described by its schema, also where that transforms what it takes', () => {
  expect(paths['/api/users/{id}']?.put?.responses[200]).toMatchObject({
    content: {
      'application/json': {
        schema: {
          properties: {
            names: { anyOf: [{ type: 'array', items: { type: 'string', minLength: 1 } }, { type: 'null' }] },
          },
        },
      },
    },
  })
})
