import { TakeoverReport } from '@filestead/contract'
import { type Route, route } from '../access/routes.ts'
import { done, json } from '../http/answers.ts'
import { returnsJson, returnsNothing } from '../http/returns.ts'
import type { SettingsDeps } from '../settings/settings.ts'
import { markSeen, unseenReport } from './document.ts'

/** The report of a takeover, until an administrator closes it. */
export const takeoverRoutes = ({ db }: SettingsDeps): Route[] => [
  route({
    method: 'GET',
    path: '/api/takeover',
    access: ['admin'],
    summary: 'What changed with the move from File Browser, until an administrator has seen it.',
    returns: returnsJson(TakeoverReport, 'The report', { 204: 'There is nothing to tell' }),
    sample: {},
    async answer(context) {
      const report = await unseenReport(db)
      return report === undefined ? done(204) : json(report, context)
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/takeover',
    access: ['admin'],
    summary: 'The report of the move has been seen.',
    returns: returnsNothing(),
    sample: {},
    async answer() {
      await markSeen(db)
      return done(204)
    },
  }),
]
