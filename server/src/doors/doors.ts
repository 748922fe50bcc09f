import type { OpenRoute, Route } from '../access/routes.ts'
import { inputOf, largestFromAnyone } from '../http/input.ts'
import type { Report, RequestContext } from '../http/request.ts'
import { type Fetch, type HttpRoute, routerOf } from '../http/router.ts'
import { type UserDoorDeps, userDoor } from './user.ts'
import { type VisitorDoorDeps, visitorDoor } from './visitor.ts'

export interface DoorDeps extends UserDoorDeps, VisitorDoorDeps {
  report: Report
}

/** The router, with every route behind the door that its `access` names. */
export function behindDoors(routes: readonly Route[], fallback: OpenRoute, deps: DoorDeps): Fetch {
  const asUser = userDoor(deps)
  const asVisitor = visitorDoor(deps)

  function answerOf(route: Route): HttpRoute['answer'] {
    // The types require it; a route that was made past them must not be open.
    const access: unknown = route.access
    if (access === undefined) throw new Error(`The route ${route.path} does not say who may use it`)
    if (route.access === 'anyone') return signsIn(route.path) ? audited(route) : (context) => route.answer(context)
    return route.access === 'visitors' ? asVisitor(route) : asUser(route)
  }

  const audited = (route: OpenRoute) => async (context: RequestContext) => {
    const response = await route.answer(context)
    deps.audit.succeeded(context, response, 'web')
    return response
  }

  const behindDoor = (route: Route): HttpRoute => ({
    method: route.method,
    path: route.path,
    input: inputOf(route.access === 'anyone' ? { ...route, largestJson: largestFromAnyone } : route),
    answer: answerOf(route),
    answerHeaders: route.answerHeaders,
  })

  return routerOf(routes.map(behindDoor), behindDoor(fallback), deps.report)
}

/** The addresses open to anyone that change something, and are therefore logged. */
const signsIn = (path: string): boolean => path === '/api/login' || path === '/api/signup'
