import { WebSettings } from '@filestead/contract'
import { type Route, route } from '../access/routes.ts'
import { done, json } from '../http/answers.ts'
import { returnsJson, returnsStatusLine } from '../http/returns.ts'
import { changeSettings, type SettingsDeps, versionedSettings, webPart } from './settings.ts'

export const settingsRoutes = (deps: SettingsDeps): Route[] => [
  route({
    method: 'GET',
    path: '/api/settings',
    access: ['admin'],
    summary: 'The global settings.',
    returns: returnsJson(WebSettings, 'The settings; their version as ETag'),
    sample: {},
    async answer(context) {
      const { settings, version } = await versionedSettings(deps)
      return json(webPart(settings), context, { etag: tagOf(version) })
    },
  }),
  route({
    method: 'PUT',
    path: '/api/settings',
    access: ['admin'],
    summary: 'Replace the global settings, as a whole.',
    details: 'With If-Match only while the settings are still that version; else 412.',
    body: WebSettings,
    returns: returnsStatusLine('; the ETag of the settings'),
    // All fields: one that a request leaves out gets its default.
    sample: { body: WebSettings.parse({}) },
    async answer(context) {
      const isExpected = expectedBy(context.request.headers.get('if-match'))
      const version = await changeSettings(deps, await context.body(), isExpected)
      return done(200, { etag: tagOf(version) })
    },
  }),
]

const tagOf = (version: number): string => `"settings-${version}"`

/** Without If-Match, as older clients send it, any version is replaced. */
function expectedBy(ifMatch: string | null): (version: number) => boolean {
  if (ifMatch === null || ifMatch.trim() === '*') return () => true
  // A proxy that compresses turns the tag into a weak one.
  const known = ifMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return (version) => known.includes(tagOf(version))
}
