import { expect, test } from 'bun:test'
import { forAnyone, forUsers } from '../access/routes.ts'
import { openApi } from './openapi.ts'

const done = () => new Response()
const routes = [
  forUsers('PATCH', '/api/resources/*', { byQuery: 'action', permissions: { copy: 'create', rename: 'rename' } }, done),
  forUsers('PUT', '/api/users/:id{[0-9]+}', [], done),
  forAnyone('POST', '/api/login', done),
]
const { paths } = openApi(routes, { version: '1', baseURL: '/fb' })

test('paths are written the way OpenAPI writes them', () => {
  expect(Object.keys(paths)).toEqual(['/api/resources/{path}', '/api/users/{id}', '/api/login'])
})

test('a route tells who may use it', () => {
  expect(paths['/api/resources/{path}']?.patch).toMatchObject({
    description: expect.stringContaining('copy: create, rename: rename'),
    security: [{ token: [] }, { cookie: [] }],
  })
  expect(paths['/api/login']?.post).not.toHaveProperty('security')
})

test('a body is described by the schema that checks it', () => {
  expect(paths['/api/login']?.post).toMatchObject({
    requestBody: { content: { 'application/json': { schema: { properties: { username: { type: 'string' } } } } } },
  })
})
