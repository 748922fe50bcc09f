import { type Route, type SampleFixture, sampleAddress, sampleOf } from '../access/routes.ts'
import { isForm } from '../http/input.ts'

/** The sample request of a route as a curl command, with the server's address and the token in shell variables. */
export function curlOf(route: Route, fixture: SampleFixture, baseURL: string): string {
  const sample = sampleOf(route, fixture)
  const signedIn = typeof route.access === 'string' ? {} : { 'x-auth': '$TOKEN' }
  return [
    'curl',
    ...(route.method === 'GET' ? [] : [`-X ${route.method}`]),
    ...Object.entries({ ...signedIn, ...sample.headers }).map(([name, value]) => `-H "${name}: ${value}"`),
    ...bodyOf(route, sample.body).map((text) => `-d '${text}'`),
    `"$SERVER${baseURL}${sampleAddress(route, sample)}"`,
  ].join(' ')
}

function bodyOf(route: Route, body: unknown): string[] {
  if (body === undefined) return []
  if (isForm(route.body)) return Object.entries(Object(body)).map(([name, value]) => `${name}=${value}`)
  return [typeof body === 'string' ? body : JSON.stringify(body)]
}
