import { failureCodes } from '@filestead/contract'
import { z } from 'zod'
import type { Needs, Route } from '../access/routes.ts'
import { type About, descriptions } from './descriptions.ts'

/** The API in OpenAPI 3.1, made from the very routes that answer and the schemas that check. */
export function openApi(routes: readonly Route[], { version, baseURL }: { version: string; baseURL: string }) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    for (const method of route.methods) {
      const about = descriptions[`${method} ${route.path}`]
      if (about === undefined) continue
      const path = templateOf(route.path)
      paths[path] ??= {}
      paths[path][method.toLowerCase()] = operation(route, about)
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Filestead', version, description: 'The API of File Browser v2, kept and completed.' },
    servers: [{ url: baseURL || '/' }],
    components: {
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'X-Auth', description: 'The text that POST /api/login answers.' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'auth', description: 'For GET and HEAD only.' },
      },
      schemas: {
        Problem: {
          type: 'object',
          required: ['code', 'message'],
          properties: { code: { type: 'string', enum: failureCodes }, message: { type: 'string' } },
        },
      },
    },
    paths,
  }
}

function operation({ path, access }: Route, about: About) {
  return {
    summary: about.summary,
    description: [about.details, needsOf(access)].filter(Boolean).join('\n\n'),
    ...(access !== 'anyone' && access !== 'visitors' && { security: [{ token: [] }, { cookie: [] }] }),
    parameters: [...pathParameters(path), ...queryParameters(about.query)],
    ...(about.body && {
      requestBody: { required: true, content: { 'application/json': { schema: schemaOf(about.body) } } },
    }),
    responses: {
      200: { description: about.answer ?? 'Done' },
      default: {
        description: 'A refusal: the status line as text, or JSON when the request accepts it',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  }
}

/** '/api/resources/*' and '/api/users/:id{[0-9]+}' the way OpenAPI writes them. */
const templateOf = (path: string): string => path.replace(/\*$/, '{path}').replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')

function needsOf(access: Route['access']): string {
  if (access === 'anyone') return 'Open to everybody.'
  if (access === 'visitors') return 'Open to everybody who has the link, and its password where there is one.'
  return permissionsOf(access)
}

function permissionsOf(needs: Needs): string {
  if (!('byQuery' in needs)) return needs.length === 0 ? 'For signed-in users.' : `Needs: ${needs.join(', ')}.`
  const each = Object.entries(needs.permissions).map(([value, permission]) => `${value}: ${permission}`)
  return `Needs, by ${needs.byQuery}: ${each.join(', ')}.`
}

const pathParameters = (path: string) =>
  [...templateOf(path).matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    ...(name === 'path' && { description: 'Percent-encoded, segment by segment. A slash at the end means a folder.' }),
  }))

const queryParameters = (query: About['query']) =>
  Object.entries(query ?? {}).map(([name, description]) => ({
    name,
    in: 'query',
    description,
    schema: { type: 'string' },
  }))

const schemaOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
