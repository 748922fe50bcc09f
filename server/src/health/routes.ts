import { z } from 'zod'
import { type Route, route } from '../access/routes.ts'
import { jsonHeaders } from '../http/answers.ts'
import { returnsJson } from '../http/returns.ts'
import type { Finding } from './check.ts'

const Health = z.object({ status: z.string() })

/** For monitoring: database and storage can be used. */
export const healthRoutes = (condition: () => Finding | Promise<Finding>): Route[] =>
  (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) =>
    route({
      method,
      path: '/health',
      access: 'anyone',
      summary: 'Is everything there that the server needs?',
      returns: returnsJson(Health, '{"status":"OK"}, or 503 with the reason'),
      sample: {},
      answer() {
        const finding = condition()
        return finding instanceof Promise ? finding.then(answer) : answer(finding)
      },
    }),
  )

const answer = (finding: Finding): Response =>
  finding === undefined
    ? new Response('{"status":"OK"}', { headers: jsonHeaders })
    : new Response(JSON.stringify({ status: 'Unavailable', reason: finding }), { status: 503, headers: jsonHeaders })
