import { Failure } from '../failure.ts'
import { actionOf } from '../http/actions.ts'
import { statusOfFailure } from '../http/failures.ts'
import { loggedPath } from '../http/logged-path.ts'
import { Query } from '../http/query.ts'
import type { Connection, Report } from '../http/request.ts'
import type { Log } from '../log/log.ts'
import { accountName } from '../storage/linux/account.ts'
import { codeOf } from '../storage/linux/errno.ts'

/** One line for every refusal; the stack only for what should not have happened. */
export const reporter =
  (log: Log): Report =>
  (error, request, connection, { isUnderWay } = { isUnderWay: false }) => {
    const { path } = connection
    const facts = {
      ...eventIn(request, path),
      ...senderIn(connection),
      method: request.method,
      path: loggedPath(request.method, path),
      id: connection.id,
      address: connection.address,
    }
    if (isUnderWay) return reportBroken(log, error, request, facts)
    const refusal = { ...facts, status: statusOfFailure(error) }
    if (error instanceof Failure) log.warn({ ...refusal, ...systemsWord(error) }, error.message)
    else if (request.signal.aborted) log.warn(refusal, 'The client left')
    else log.error({ ...refusal, err: error }, 'Unexpected error')
  }

const eventIn = ({ method, url }: Request, path: string): object => {
  const event = actionOf(method, path, () => new Query(url))?.name
  return event === undefined ? {} : { event }
}

/** Fail2ban and the like read the end of the line, from the address on: what a client can choose stands before it. */
function senderIn({ facts: { user, userId, link } = {} }: Connection): object {
  return {
    ...(user !== undefined && { user }),
    ...(userId !== undefined && { userId }),
    ...(link !== undefined && { link }),
  }
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
