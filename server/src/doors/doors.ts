import type { OpenRoute, Route } from '../access/routes.ts'
import type { Report, RequestContext } from '../http/request.ts'
import { type Fetch, type HttpRoute, routerOf } from '../http/router.ts'
import { type UserDoorDeps, userDoor } from './user.ts'
import { type VisitorDoorDeps, visitorDoor } from './visitor.ts'

export interface DoorDeps extends UserDoorDeps, VisitorDoorDeps {
  report: Report
}

/** Puts every route behind the door that its `access` names, and answers requests with them. */
export function behindDoors(routes: readonly Route[], fallback: OpenRoute, deps: DoorDeps): Fetch {
  const asUser = userDoor(deps)
  const asVisitor = visitorDoor(deps)

  function behindDoor(route: Route): HttpRoute {
    // The types ask for it already; a route made past them must not stand open.
    const access: unknown = route.access
    if (access === undefined) throw new Error(`The route ${route.path} does not say who may use it`)
    if (route.access === 'anyone') return signsIn(route.path) ? audited(route) : route
    const answer = route.access === 'visitors' ? asVisitor(route) : asUser(route)
    return { methods: route.methods, path: route.path, answer }
  }

  function audited(route: OpenRoute): HttpRoute {
    const answer = async (context: RequestContext) => {
      const response = await route.answer(context)
      deps.audit.succeeded(context, response, 'web')
      return response
    }
    return { methods: route.methods, path: route.path, answer }
  }

  return routerOf(routes.map(behindDoor), fallback, deps.report)
}

/** The addresses that anyone may use and that change something; pages, static files and health checks change nothing. */
const signsIn = (path: string): boolean => path === '/api/login' || path === '/api/signup'
