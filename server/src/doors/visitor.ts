import { segmentsOf } from '@filestead/contract'
import { VisitorContext, type VisitorRoute } from '../access/routes.ts'
import type { Visit } from '../access/visit.ts'
import { isFailure } from '../failure.ts'
import { shortened } from '../http/logged-path.ts'
import type { HttpRoute } from '../http/router.ts'
import type { Visitor } from '../shares/open.ts'
import { parseEncodedPath, parsePath, type VirtualPath } from '../storage/path.ts'
import type { Audit } from './audit.ts'

export interface VisitorDoorDeps {
  openShare(hash: string, path: VirtualPath, visitor: Visitor): Promise<Visit>
  audit: Audit
}

/** Opens the share whose hash is the first segment of the path. */
export const visitorDoor =
  ({ openShare, audit }: VisitorDoorDeps) =>
  (route: VisitorRoute): HttpRoute['answer'] =>
  async (context) => {
    const { request, connection } = context
    const [hash = '', ...below] = segmentsOf(parseEncodedPath(context.match.rest))
    const path = parsePath(below.join('/'))
    connection.facts = { link: shortened(hash), path }
    const visitor: Visitor = {
      address: connection.address,
      isShared: connection.isShared,
      claimed: connection.claimed,
      password: request.headers.get('x-share-password') ?? '',
      pass: context.rawQuery.get('token') ?? '',
      cancellation: context.cancellation,
      takesAnyName: route.takesAnyName === true,
    }
    const visit = await openShare(hash, path, visitor)
    const stillOpen = async () => {
      // A download that began in time is sent to its end.
      if (visit.expire !== 0 && visit.expire <= Date.now() / 1000) return
      await openShare(hash, path, { ...visitor, password: '', pass: visit.pass ?? '' }).catch((error) => {
        // The pass ends after an hour, and a database that is away closes nothing.
        if (!isFailure(error, 'unauthenticated', 'unavailable')) throw error
      })
    }
    const { username, id } = visit.scope.actor.user
    context.note({ owner: username, ownerId: id })
    const response = await route.answer(new VisitorContext(context, visit, stillOpen))
    // The query may contain a token, which no linked page must be sent as the referrer.
    response.headers.set('referrer-policy', 'no-referrer')
    audit.succeeded(context, response, 'link')
    return response
  }
