import { WebSettings } from '@filestead/contract'
import { forUsers, type Route } from '../access/routes.ts'
import { done, json } from '../http/answers.ts'
import { jsonOf } from '../http/body.ts'
import { changeSettings, type SettingsDeps, versionedSettings, webPart } from './settings.ts'

export const settingsRoutes = (deps: SettingsDeps): Route[] => [
  forUsers('GET', '/api/settings', ['admin'], async ({ request }) => {
    const { settings, version } = await versionedSettings(deps)
    return json(webPart(settings), request, { etag: tagOf(version) })
  }),
  forUsers('PUT', '/api/settings', ['admin'], async (context) => {
    const isExpected = expectedBy(context.request.headers.get('if-match'))
    const version = await changeSettings(deps, await jsonOf(context, WebSettings), isExpected)
    return done(200, { etag: tagOf(version) })
  }),
]

const tagOf = (version: number): string => `"settings-${version}"`

/** Clients that know nothing of versions send none, and replace what is there. */
function expectedBy(ifMatch: string | null): (version: number) => boolean {
  if (ifMatch === null || ifMatch.trim() === '*') return () => true
  // A proxy that compresses calls the tag a weak one.
  const known = ifMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return (version) => known.includes(tagOf(version))
}
