import { failureCodes } from '@filestead/contract'
import { z } from 'zod'
import { type Needs, type Route, type SampleFixture, type SampleRequest, sampleOf } from '../access/routes.ts'
import { type BodyKind, isForm } from '../http/input.ts'
import { curlOf } from './curl.ts'

/** The names in the example requests. */
const exampleFixture: SampleFixture = {
  userId: 2,
  sessionId: 'c0ffee42',
  username: 'alice',
  password: 'correct horse battery',
  link: 'Xu3kL9aQ',
  groupId: 3,
  grantId: 5,
  mountId: 2,
  jobId: '019a8f3e-7c1b-7000-a3f4-5b6c7d8e9f01',
  folder: '/srv/photos',
}

interface Parameter {
  name: string
  in: 'path' | 'query'
  required?: boolean
  description?: string
  schema: unknown
  example?: unknown
}

interface Content {
  [contentType: string]: { schema: unknown; example?: unknown }
}

export interface Operation {
  summary: string
  description: string
  security?: unknown
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: { [status: string]: { description: string; content?: Content } }
  'x-codeSamples': { lang: string; source: string }[]
}

const isOfApi = ({ path }: Route): boolean => path.startsWith('/api/')

/** The API in OpenAPI 3.1, generated from the routes and their schemas. */
export function openApi(routes: readonly Route[], { version, baseURL }: { version: string; baseURL: string }) {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of routes.filter(isOfApi)) {
    const path = templateOf(route.path)
    paths[path] ??= {}
    paths[path][keyOf(route)] = operationOf(route, baseURL)
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

/** OpenAPI knows no methods of WebDAV; they become extensions. */
const keyOf = ({ method }: Route): string => {
  const name = method.toLowerCase()
  return known.has(name) ? name : `x-${name}`
}

const known = new Set(['get', 'put', 'post', 'delete', 'options', 'patch'])

function operationOf(route: Route, baseURL: string): Operation {
  const { access, summary, details, body } = route
  const takesGuests = 'guests' in route && route.guests === true
  const sample = sampleOf(route, exampleFixture)
  return {
    summary,
    description: [details, needsOf(access), takesGuests && guestsToo].filter(Boolean).join('\n\n'),
    ...(access !== 'anyone' &&
      access !== 'visitors' && {
        security: [{ token: [] }, { cookie: [] }, ...(takesGuests ? [{}] : [])],
      }),
    parameters: [...pathParameters(route.path, sample), ...queryParameters(route, sample)],
    ...(body && {
      requestBody: { required: body instanceof z.ZodType || isForm(body), content: bodyContent(body, sample) },
    }),
    responses: responsesOf(route),
    'x-codeSamples': [{ lang: 'Shell', source: curlOf(route, exampleFixture, baseURL) }],
  }
}

/** An empty requirement in `security` says the same to programs. */
const guestsToo = 'Without signing in, too, as far as grants for guests allow.'

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

type AnySample = SampleRequest<Record<string, unknown>, unknown>

const pathParameters = (path: string, { at, params }: AnySample): Parameter[] =>
  [...templateOf(path).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    example: name === 'path' ? at : params?.[name],
    ...(name === 'path' && { description: 'Percent-encoded, segment by segment. A slash at the end means a folder.' }),
  }))

/** A query parameter of every route for visitors. */
const visitorsToken: Parameter = {
  name: 'token',
  in: 'query',
  description: 'instead of the password, for an hour',
  schema: { type: 'string' },
}

/** A query parameter of every route that reads the past. */
const whichPast: Parameter = {
  name: 'past',
  in: 'query',
  description: 'an older state instead of what is there now: `past` of an item of the trash or of a timeline',
  schema: { type: 'string' },
}

function queryParameters(route: Route, sample: AnySample): Parameter[] {
  const { query, access } = route
  const { properties = {} } = query === undefined ? {} : schemaOf(query, 'input')
  const own = Object.entries(properties).map(([name, property]): Parameter => {
    const { description, ...schema } = Object(property)
    const example = sample.query?.[name]
    return { name, in: 'query', description, schema, ...(example !== undefined && { example }) }
  })
  if ('past' in route && route.past) return [...own, whichPast]
  return access === 'visitors' ? [visitorsToken, ...own] : own
}

function bodyContent(body: BodyKind, { body: example }: AnySample): Content {
  if (body instanceof z.ZodType) return { 'application/json': { schema: schemaOf(body, 'input'), example } }
  if (body.kind === 'bytes') return { [body.contentType]: { schema: { type: 'string', format: 'binary' }, example } }
  const fields = Object.entries(body.fields).map(([name, description]) => [name, { type: 'string', description }])
  return {
    'application/x-www-form-urlencoded': {
      schema: { type: 'object', properties: Object.fromEntries(fields) },
      example,
    },
  }
}

function responsesOf({ returns }: Route): Operation['responses'] {
  const { status, description, contentType, schema, also = {} } = returns
  const shape = schema === undefined ? { type: 'string' } : schemaOf(schema, 'output')
  return {
    [status]: { description, ...(contentType && { content: { [contentType]: { schema: shape } } }) },
    ...Object.fromEntries(Object.entries(also).map(([other, meaning]) => [other, { description: meaning }])),
    default: {
      description: 'A refusal: the status line as text, or JSON when the request accepts it',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  }
}

/** A transformation has no JSON schema; in the contract its output has the shape of its input. */
function schemaOf(schema: z.core.$ZodType, io: 'input' | 'output'): z.core.JSONSchema.BaseSchema {
  const { $schema: _, ...described } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      if (io === 'output' && zodSchema instanceof z.ZodPipe && zodSchema.out instanceof z.ZodTransform)
        Object.assign(jsonSchema, schemaOf(zodSchema.in, 'input'))
    },
  })
  return described
}
