import { Failure } from '../failure.ts'
import type { Log } from '../log/log.ts'
import { statusOfFailure } from './failures.ts'
import type { Surroundings } from './routes.ts'

/** One line for every refusal; the stack only for what should not have happened. */
export const reporter =
  (log: Log) =>
  (error: unknown, request: Request, { path, address }: Surroundings): void => {
    const facts = { method: request.method, path: path.slice(0, 2000), status: statusOfFailure(error), address }
    if (error instanceof Failure) log.warn(facts, error.message)
    else if (request.signal.aborted) log.warn(facts, 'The client left')
    else log.error({ ...facts, err: error }, 'Unexpected error')
  }
