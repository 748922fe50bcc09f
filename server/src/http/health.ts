import { jsonHeaders } from './answers.ts'
import { forAnyone, type Route } from './routes.ts'

/** For those who watch over the process: it runs and answers. */
export const healthRoutes = (): Route[] => [
  forAnyone(
    ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    '/health',
    () => new Response('{"status":"OK"}', { headers: jsonHeaders }),
  ),
]
