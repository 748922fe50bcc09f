import { forUsers, type Route } from '../access/routes.ts'
import { done, json } from '../http/answers.ts'
import type { SettingsDeps } from '../settings/settings.ts'
import { markSeen, unseenReport } from './document.ts'

/** The first administrator after the move is told what changed, once. */
export const takeoverRoutes = ({ db }: SettingsDeps): Route[] => [
  forUsers('GET', '/api/takeover', ['admin'], async ({ request }) => {
    const report = await unseenReport(db)
    return report === undefined ? done(204) : json(report, request)
  }),
  forUsers('DELETE', '/api/takeover', ['admin'], async () => {
    await markSeen(db)
    return done(204)
  }),
]
