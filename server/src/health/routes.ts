import { forAnyone, type Route } from '../access/routes.ts'
import { jsonHeaders } from '../http/answers.ts'
import type { Finding } from './condition.ts'

/** For health checks: the process answers, and its database and its folder are in order. */
export const healthRoutes = (condition: () => Finding | Promise<Finding>): Route[] => [
  forAnyone(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], '/health', () => {
    const finding = condition()
    return finding instanceof Promise ? finding.then(answer) : answer(finding)
  }),
]

const answer = (finding: Finding): Response =>
  finding === undefined
    ? new Response('{"status":"OK"}', { headers: jsonHeaders })
    : new Response(JSON.stringify({ status: 'Unavailable', reason: finding }), { status: 503, headers: jsonHeaders })
