import { type Route, route } from '../access/routes.ts'
import { jsonHeaders } from '../http/answers.ts'
import { compressed } from '../http/compress.ts'
import { escapeHtml } from '../http/html.ts'
import { returnsBytes } from '../http/returns.ts'
import { type Operation, openApi } from './openapi.ts'

/**
 * The description of the API, these two routes included, as OpenAPI and as a page without scripts. Generated at the first
 * request, because converting the schemas would slow down every start.
 */
export function apiDocsRoutes(routes: readonly Route[], facts: { version: string; baseURL: string }): Route[] {
  const own: Route[] = [
    route({
      method: 'GET',
      path: '/api/openapi.json',
      access: 'anyone',
      summary: 'This description, for programs.',
      returns: returnsBytes('OpenAPI 3.1', 'application/json'),
      sample: {},
      answer: (context) => compressed(described().text, context, jsonHeaders),
    }),
    route({
      method: 'GET',
      path: '/api/docs',
      access: 'anyone',
      summary: 'This description, for people.',
      returns: returnsBytes('A page', 'text/html'),
      sample: {},
      answer: (context) => compressed(described().page, context, pageHeaders),
    }),
  ]
  let made: { text: string; page: string } | undefined
  function described() {
    if (made === undefined) {
      const description = openApi([...routes, ...own], facts)
      made = { text: JSON.stringify(description), page: pageOf(description) }
    }
    return made
  }
  return own
}

const pageHeaders = {
  'cache-control': 'no-cache',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'content-type': 'text/html; charset=utf-8',
  'x-content-type-options': 'nosniff',
}

function pageOf({ info, paths }: ReturnType<typeof openApi>): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => sectionOf(method, path, operation)),
  )
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Filestead API</title><style>${style}</style></head>
<body><main><h1>Filestead API ${escapeHtml(info.version)}</h1>
<p>${escapeHtml(info.description)} Sign in with <code>POST /api/login</code> and send the text it answers as header
<code>X-Auth</code>. The same, for programs: <a href="openapi.json">openapi.json</a>.</p>
${operations.join('\n')}</main></body></html>`
}

function sectionOf(method: string, path: string, operation: Operation): string {
  const parameters = operation.parameters.map(
    ({ name, in: place, description = '' }) =>
      `<li><code>${escapeHtml(name)}</code> (${place}) ${escapeHtml(description)}</li>`,
  )
  const answers = Object.entries(operation.responses).filter(([status]) => status !== 'default')
  return `<section><h2><b class="${method}">${method.replace(/^x-/, '').toUpperCase()}</b> <code>${escapeHtml(path)}</code></h2>
<p>${escapeHtml(operation.summary)}</p><p class="needs">${escapeHtml(operation.description)}</p>
${parameters.length > 0 ? `<ul>${parameters.join('')}</ul>` : ''}
${schemasOf('Body', operation.requestBody?.content)}
<p class="answer">${answers.map(([status, { description }]) => `${status}: ${escapeHtml(description)}`).join('<br>')}</p>
${answers.map(([, { content }]) => schemasOf('Answer', content)).join('')}
<pre>${operation['x-codeSamples'].map(({ source }) => escapeHtml(source)).join('\n')}</pre></section>`
}

/** Only JSON has a schema; the description tells of other content. */
const schemasOf = (title: string, content: Operation['responses'][string]['content'] = {}): string =>
  Object.entries(content)
    .filter(([, { schema }]) => Object(schema).type !== 'string')
    .map(
      ([type, { schema }]) =>
        `<details><summary>${title} (${type})</summary><pre>${escapeHtml(JSON.stringify(schema, null, 2))}</pre></details>`,
    )
    .join('')

const style = `:root{color-scheme:light dark;--line:light-dark(#d9e2de,#2c3634);--soft:light-dark(#5b6b66,#9db0a9)}
body{font:16px/1.5 system-ui,sans-serif;margin:0;background:light-dark(#f7f9f8,#101413);color:light-dark(#17211e,#e6edea)}
main{max-width:56rem;margin:0 auto;padding:2rem 1rem}section{border-top:1px solid var(--line);padding:.75rem 0}
a{color:light-dark(#1f6f5b,#7cc7b0)}h2{font-size:1rem;margin:.25rem 0;font-weight:500;overflow-wrap:anywhere}b{display:inline-block;min-width:4.5rem}
.needs,.answer{color:var(--soft);font-size:.9rem;margin:.25rem 0;white-space:pre-line}pre{overflow:auto;font-size:.85rem}
.get{color:light-dark(#1f6f5b,#7cc7b0)}.delete{color:light-dark(#a3312a,#f0a39d)}.post,.put,.patch{color:light-dark(#7a5a00,#e3c267)}`
