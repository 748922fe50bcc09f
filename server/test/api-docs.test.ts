import { afterAll, expect, test } from 'bun:test'
import { descriptions } from '../src/api/descriptions.ts'
import { startServer } from './server.ts'

const server = await startServer()
afterAll(() => server.stop())

const addresses = server.app.routes.flatMap(({ methods, path }) => methods.map((method) => `${method} ${path}`))

test('every route of the API is described, and nothing else is', () => {
  const known = addresses.filter((address) => address.includes(' /api/'))
  expect(Object.keys(descriptions).sort()).toEqual([...new Set(known)].sort())
})

test('the description is OpenAPI and needs no signing in', async () => {
  const response = await server.ask('/api/openapi.json')
  expect(response.headers.get('content-type')).toContain('application/json')
  expect(await response.json()).toMatchObject({
    openapi: '3.1.0',
    paths: {
      '/api/resources/{path}': {
        get: { parameters: expect.arrayContaining([{ name: 'path' }].map(expect.objectContaining)) },
      },
    },
  })
})

test('the page asks nobody else for anything and runs nothing', async () => {
  const response = await server.ask('/api/docs')
  const page = await response.text()
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(page).toContain('/api/resources/{path}')
  expect(page).not.toMatch(/<script|<img|<link|src=|href="(?!openapi)/)
})
