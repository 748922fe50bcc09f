import { can, currentSession, isOthersAddress } from '../api/session.ts'
import { startSettings } from '../api/start-settings.ts'
import type { Address } from '../navigation/location.ts'
import type { SettingsTab } from '../screens/settings/tabs.ts'

/** What an address shows, or where it leads instead. */
export type Route =
  | { screen: 'login' }
  | { screen: 'files' }
  | { screen: 'share' }
  | { screen: 'settings'; tab: SettingsTab }
  | { screen: 'error'; status: 403 | 404 | 500 }
  | { redirect: string }

/** The route table. Guards are part of it: who may not see a screen is never shown it. */
export function routeOf({ pathname, search }: Address): Route {
  const [first = '', ...rest] = pathname.split('/').slice(1)
  switch (first) {
    case 'login':
      if (currentSession() !== null) return { redirect: wantedAfterLogin(search) }
      return startSettings.LoginPage ? { screen: 'login' } : nobodySignsIn
    case 'share':
      return { screen: 'share' }
    case 'files':
      return signedIn(pathname + search) ?? { screen: 'files' }
    case 'settings':
      return signedIn(pathname + search) ?? settingsRoute(rest.filter(Boolean))
    case '403':
    case '404':
    case '500':
      return { screen: 'error', status: Number(first) as 403 | 404 | 500 }
    case '':
      return { redirect: '/files/' }
    default:
      return { redirect: `/files${pathname}${search}` }
  }
}

function settingsRoute([tab, id]: string[]): Route {
  switch (tab) {
    case undefined:
      return { redirect: '/settings/profile' }
    case 'profile':
      return { screen: 'settings', tab: { name: 'profile' } }
    case 'shares':
      return can('share') ? { screen: 'settings', tab: { name: 'shares' } } : { redirect: '/403' }
    case 'global':
      return can('admin') ? { screen: 'settings', tab: { name: 'global' } } : { redirect: '/403' }
    case 'users':
      if (!can('admin')) return { redirect: '/403' }
      if (id === undefined) return { screen: 'settings', tab: { name: 'users' } }
      if (id === 'new') return { screen: 'settings', tab: { name: 'user', id: null } }
      return /^\d+$/.test(id) ? { screen: 'settings', tab: { name: 'user', id: Number(id) } } : { redirect: '/404' }
    default:
      return { redirect: '/404' }
  }
}

/** Where nobody can sign in, sending people to a form that refuses everyone would be a circle. */
const nobodySignsIn: Route = { redirect: '/403' }

function signedIn(wanted: string): Route | null {
  if (currentSession() !== null) return null
  if (!startSettings.LoginPage) return nobodySignsIn
  return { redirect: `/login?redirect=${encodeURIComponent(wanted)}` }
}

/** Only addresses of our own: a crafted link must not send anybody elsewhere after signing in. */
export function wantedAfterLogin(search: string): string {
  // Where somebody else was before, the name of their folder means nothing to whoever signs in now.
  if (isOthersAddress()) return '/files/'
  const wanted = new URLSearchParams(search).get('redirect') ?? ''
  return /^\/(?![/\\])/.test(wanted) && !wanted.startsWith('/login') ? wanted : '/files/'
}
