import { Failure } from '../failure.ts'
import { actionOf, methodOf } from '../http/actions.ts'
import { clientLeft, isClientLeft, statusOfFailure } from '../http/failures.ts'
import { loggedPath } from '../http/logged-path.ts'
import { Query } from '../http/query.ts'
import type { Connection, LogFacts, Report } from '../http/request.ts'
import type { Log } from '../log/log.ts'
import { accountName } from '../storage/linux/account.ts'
import { codeOf } from '../storage/linux/errno.ts'

/** Logs every refusal in one line; unexpected errors with their stack. */
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
    if (isClientLeft(error, request)) return log.info({ ...facts, status: clientLeft }, 'The client left')
    const refusal = { ...facts, status: statusOfFailure(error) }
    if (error instanceof Failure) log.warn({ ...refusal, ...errnoOf(error) }, error.message)
    else log.error({ ...refusal, err: error }, 'Unexpected error')
  }

const eventIn = (request: Request, path: string): object => {
  const event = actionOf(methodOf(request, path), path, () => new Query(request.url))?.name
  return event === undefined ? {} : { event }
}

/** Before the address: fail2ban matches the end of the line, which must not contain text that a client chose. */
function senderIn({ facts: { user, userId, link } = {} }: Connection): object {
  return {
    ...(user !== undefined && { user }),
    ...(userId !== undefined && { userId }),
    ...(link !== undefined && { link }),
  }
}

/** The errno, and for a missing right the account of the server: it looks like a missing right of the user. */
function errnoOf({ code, cause }: Failure): LogFacts {
  const errno = codeOf(cause)
  return errno === undefined ? {} : { errno, ...(code === 'forbidden' && { account: accountName() }) }
}

/** An error after the headers were sent. A client that leaves is no error. */
function reportBroken(log: Log, error: unknown, { signal }: Request, facts: LogFacts): void {
  if (signal.aborted) return
  if (error instanceof Failure) log.warn(facts, `The answer broke off: ${error.message}`)
  else log.error({ ...facts, err: error }, 'The answer broke off')
}
