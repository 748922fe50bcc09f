import { afterAll, expect, test } from 'bun:test'
import { startServer } from './server.ts'

const server = await startServer({ baseURL: '/fb' })
afterAll(() => server.stop())

interface Described {
  openapi: string
  servers: { url: string }[]
  paths: Record<string, Record<string, { summary: string; parameters: { name: string; example?: string }[] }>>
}
const described = (await (await server.ask('/api/openapi.json')).json()) as Described

test('the description is OpenAPI, needs no sign-in and lists every route of the API', () => {
  expect([described.openapi, described.servers]).toEqual(['3.1.0', [{ url: '/fb' }]])
  const told = Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  )
  const routes = server.app.routes.filter(({ path }) => path.startsWith('/api/'))
  expect(told.length).toBe(routes.length)
  expect(told).toEqual(expect.arrayContaining(['get /api/docs', 'patch /api/resources/{path}', 'put /api/users/{id}']))
})

test('parameters, bodies and answers carry their schemas and examples', () => {
  expect(described.paths['/api/resources/{path}']?.patch).toMatchObject({
    parameters: [
      { name: 'path', in: 'path', example: 'kept.txt' },
      { name: 'action', in: 'query', description: 'copy or rename', example: 'copy' },
      { name: 'destination', in: 'query', example: '/box/other.txt' },
      { name: 'override', in: 'query', description: expect.stringContaining('true: ') },
      { name: 'rename', in: 'query' },
    ],
    responses: { 200: { content: { 'text/plain': {} } } },
  })
  expect(described.paths['/api/public/dl/{path}']?.get?.parameters.map(({ name }) => name)).toEqual([
    ...['path', 'token', 'inline', 'algo', 'files'],
  ])
  expect(described.paths['/api/share/{path}']?.post).toMatchObject({
    requestBody: { content: { 'application/json': { example: { expires: '7', unit: 'days' } } } },
    responses: { 200: { content: { 'application/json': { schema: { properties: { hash: { type: 'string' } } } } } } },
  })
  expect(described.paths['/api/users/{id}']?.get).toMatchObject({
    responses: {
      200: {
        content: {
          'application/json': {
            schema: { properties: { username: { type: 'string' }, commands: { anyOf: [{ type: 'array' }, {}] } } },
          },
        },
      },
    },
  })
  expect(described.paths['/api/raw/{path}']?.post).toMatchObject({
    requestBody: { content: { 'application/x-www-form-urlencoded': { schema: { properties: { auth: {} } } } } },
  })
})

test('the page of the API description loads nothing from other hosts and runs no script', async () => {
  const response = await server.ask('/api/docs')
  const page = await response.text()
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(page).toContain('/api/resources/{path}')
  expect(page).toContain('curl -X DELETE -H &quot;x-auth: $TOKEN&quot; &quot;$SERVER/fb/api/resources/kept.txt&quot;')
  expect(page).not.toMatch(/<script|<img|<link|src=|href="(?!openapi)/)
})
