import { WebSettings } from '@filestead/contract'
import { done, json } from '../http/answers.ts'
import { jsonOf } from '../http/body.ts'
import { forUsers, type Route } from '../http/routes.ts'
import { changeSettings, type ReadSettings, type SettingsDeps, webPart } from './settings.ts'

export const settingsRoutes = (deps: SettingsDeps, settings: ReadSettings): Route[] => [
  forUsers('GET', '/api/settings', ['admin'], async ({ request }) => json(webPart(await settings()), request)),
  forUsers('PUT', '/api/settings', ['admin'], async (asked) => {
    await changeSettings(deps, await settings(), await jsonOf(asked, WebSettings))
    return done()
  }),
]
