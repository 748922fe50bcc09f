import { Failure } from '../failure.ts'
import type { Log } from '../log/log.ts'
import { statusOfFailure } from './failures.ts'
import { loggedPath } from './logged-path.ts'
import type { Report } from './routes.ts'

/** One line for every refusal; the stack only for what should not have happened. */
export const reporter =
  (log: Log): Report =>
  (error, request, { path, address }, { isUnderWay } = { isUnderWay: false }) => {
    const facts = { method: request.method, path: loggedPath(request.method, path), address }
    if (isUnderWay) return reportBroken(log, error, request, facts)
    const refusal = { ...facts, status: statusOfFailure(error) }
    if (error instanceof Failure) log.warn(refusal, error.message)
    else if (request.signal.aborted) log.warn(refusal, 'The client left')
    else log.error({ ...refusal, err: error }, 'Unexpected error')
  }

/** The status was sent long ago. That a client leaves in the middle is its own business. */
function reportBroken(log: Log, error: unknown, { signal }: Request, facts: object): void {
  if (signal.aborted) return
  if (error instanceof Failure) log.warn(facts, `The answer broke off: ${error.message}`)
  else log.error({ ...facts, err: error }, 'The answer broke off')
}
