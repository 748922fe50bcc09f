import { Failure } from '../failure.ts'
import { statusOfFailure } from '../http/failures.ts'
import { loggedPath } from '../http/logged-path.ts'
import type { Report } from '../http/request.ts'
import type { Log } from '../log/log.ts'
import { accountName } from '../storage/linux/account.ts'
import { codeOf } from '../storage/linux/errno.ts'

/** One line for every refusal; the stack only for what should not have happened. */
export const reporter =
  (log: Log): Report =>
  (error, request, { path, address }, { isUnderWay } = { isUnderWay: false }) => {
    const facts = { method: request.method, path: loggedPath(request.method, path), address }
    if (isUnderWay) return reportBroken(log, error, request, facts)
    const refusal = { ...facts, status: statusOfFailure(error) }
    if (error instanceof Failure) log.warn({ ...refusal, ...systemsWord(error) }, error.message)
    else if (request.signal.aborted) log.warn(refusal, 'The client left')
    else log.error({ ...refusal, err: error }, 'Unexpected error')
  }

/** What the system refused, and to whom: a right that our account lacks looks like one that the user lacks. */
function systemsWord({ code, cause }: Failure): object {
  const errno = codeOf(cause)
  return errno === undefined ? {} : { errno, ...(code === 'forbidden' && { account: accountName() }) }
}

/** The status was sent long ago. That a client leaves in the middle is its own business. */
function reportBroken(log: Log, error: unknown, { signal }: Request, facts: object): void {
  if (signal.aborted) return
  if (error instanceof Failure) log.warn(facts, `The answer broke off: ${error.message}`)
  else log.error({ ...facts, err: error }, 'The answer broke off')
}
