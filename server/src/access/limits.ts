import { type Limit, limitOf } from '../concurrency/limit.ts'
import { networkOf } from '../http/networks.ts'
import type { RequestContext } from '../http/request.ts'
import { acquireStreamSlot, type StreamSlot } from '../http/stream-slot.ts'
import type { UserContext, VisitorContext } from './routes.ts'

/**
 * How many of each kind of long work run at once. The numbers are far from what people do, also several behind one
 * address: they bound what a program can make the server hold.
 */
export interface Limits {
  /** Folders of more than a thousand entries, as long as their names are in memory. */
  readonly listings: Limit
  /** Texts too long to be held as one. */
  readonly texts: Limit
  readonly checksums: Limit
  /** Searches, and lists of everything below a folder. */
  readonly searches: Limit
  readonly archives: Limit
  /** Parts of archives for which much has to be read that is not sent. */
  readonly rereads: Limit
  readonly copies: Limit
}

export const defaultLimits = (): Limits => ({
  // Each takes tens of megabytes and all the event loop has to give, so that more at once end no sooner.
  listings: limitOf({
    what: 'large folders',
    most: 2,
    mostPerKey: 1,
    mostWaiting: 2000,
    mostWaitingPerKey: 500,
    ...long,
  }),
  texts: limitOf({ what: 'long texts', most: 32, mostPerKey: 12, mostWaiting: 2000, mostWaitingPerKey: 500 }),
  checksums: limitOf({ what: 'checksums', most: 16, mostPerKey: 8, mostWaiting: 1000, mostWaitingPerKey: 200 }),
  searches: limitOf({ what: 'searches', most: 32, mostPerKey: 12, mostWaiting: 500, mostWaitingPerKey: 100 }),
  archives: limitOf({ what: 'archives', most: 48, mostPerKey: 24, mostWaiting: 200, mostWaitingPerKey: 50 }),
  rereads: limitOf({ what: 'parts of archives', most: 2, mostPerKey: 1, mostWaiting: 50, mostWaitingPerKey: 16 }),
  copies: limitOf({ what: 'copies', most: 32, mostPerKey: 16, mostWaiting: 1000, mostWaitingPerKey: 500, ...longer }),
})

/** In milliseconds: thirty that ask for a folder of a hundred thousand are served one after another. */
const long = { timeout: 120_000 }

/** A copy may wait behind others that take long. */
const longer = { timeout: 600_000 }

/** Whom a permit is counted for. Several people may share an account, and several accounts an address. Guests have the address alone. */
export function keyOf(context: UserContext | VisitorContext | RequestContext): string {
  const network = networkOf(context.connection.address)
  return 'caller' in context && context.caller !== undefined ? `${context.caller.user.id} ${network}` : network
}

/** A slot for an answer that is streamed after its headers were sent, counted for its client. */
export const lasting = (limit: Limit, context: UserContext | VisitorContext): Promise<StreamSlot> =>
  acquireStreamSlot(limit, keyOf(context), { request: context.request, report: (error) => context.report(error) })
