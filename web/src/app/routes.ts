import { type ComponentType, createElement, type ReactNode } from 'react'
import { needTexts } from '../i18n/i18n.ts'
import type { TextSet } from '../i18n/text-sets.ts'
import { filesPathOf, loginAddress, sharePathOf } from '../navigation/addresses.ts'
import type { Address } from '../navigation/location.ts'
import { sendEarly } from '../server/client.ts'
import { publicSharePath, resourcePath } from '../server/paths.ts'
import { currentSession, isGuest } from '../server/session.ts'
import { startSettings } from '../server/start-settings.ts'
import { mayOpen, type SettingsTab, settingsPages, singleOf } from '../settings/tabs.ts'
import { type LazyPart, lazyPart } from '../ui/lazy-part.tsx'

type ScreenProps = { address: Address }

/** One kind of address: what is shown there, and what has to be loaded and asked for first. */
interface Route {
  /** The first part of the address. */
  match: readonly string[]
  /** Where the address leads instead, for users that may not see it. */
  guard?(address: Address): string | null
  /** Sends the requests of the screen while its code is being loaded. */
  load?(address: Address): unknown
  /** Around the screen: nothing, what all screens with keys and dialogs need, or the sidebar as well. */
  frame: LazyPart<{ children: ReactNode }> | null
  screen: LazyPart<ScreenProps>
}

const stage = part(async () => (await import('./Stage.tsx')).Stage)
const sidebarFrame = part(async () => (await import('./SidebarFrame.tsx')).SidebarFrame, 'files')

const files: Route = {
  match: ['files'],
  guard: withoutSession,
  load: (address) => /^\?(query|past)=/.test(address.search) || sendEarly(resourcePath(filesPathOf(address))),
  frame: sidebarFrame,
  screen: part(async () => {
    const [{ FilesScreen }, { readFirstListing }] = await Promise.all([
      import('../files/FilesScreen.tsx'),
      import('../files/first-listing.ts'),
    ])
    await readFirstListing()
    return FilesScreen
  }, 'files'),
}

const trash: Route = {
  match: ['trash'],
  guard: (address) => (isGuest() ? signInFirst(address) : withoutSession(address)),
  load: ({ search }) => search === '' && sendEarly('trash'),
  frame: sidebarFrame,
  screen: part(async () => (await import('../files/trash/TrashScreen.tsx')).TrashScreen, 'files', 'trash'),
}

const share: Route = {
  match: ['share'],
  load(address) {
    const { hash, path } = sharePathOf(address)
    sendEarly(publicSharePath(hash, path), { isPublic: true })
  },
  frame: stage,
  screen: part(async () => (await import('../public-share/ShareScreen.tsx')).ShareScreen, 'visit'),
}

const settings: Route = {
  match: ['settings'],
  guard(address) {
    const wanted = settingsAt(address)
    return (isGuest() ? signInFirst(address) : withoutSession(address)) ?? (typeof wanted === 'string' ? wanted : null)
  },
  frame: sidebarFrame,
  screen: part(async () => {
    const { SettingsScreen } = await import('../settings/SettingsScreen.tsx')
    return ({ address }: ScreenProps) => {
      const tab = settingsAt(address)
      return typeof tab === 'string' ? null : createElement(SettingsScreen, { tab })
    }
  }, 'settings'),
}

const login: Route = {
  match: ['login'],
  guard({ search }) {
    if (currentSession() !== null && !isGuest()) return wantedAfterLogin(search)
    return startSettings.LoginPage ? null : noLogin
  },
  frame: null,
  screen: part(async () => {
    const { LoginScreen } = await import('../auth/LoginScreen.tsx')
    // The files are what comes next: their code is loaded while the form is filled in.
    const onFilling = () => void loadCode(files).catch(() => {})
    return () => createElement(LoginScreen, { onFilling })
  }, 'login'),
}

const error: Route = {
  match: ['403', '404', '500'],
  frame: sidebarFrame,
  screen: part(async () => {
    const { ErrorScreen } = await import('../errors/ErrorScreen.tsx')
    return ({ address }: ScreenProps) =>
      createElement(ErrorScreen, { status: Number(address.pathname.split('/')[1]) as 403 | 404 | 500 })
  }),
}

const routes: readonly Route[] = [files, trash, share, settings, login, error]

/** The route of an address, or the address that it leads to instead. */
export function routeOf(address: Address): Route | string {
  const first = address.pathname.split('/')[1] ?? ''
  if (first === '') return '/files/'
  const route = routes.find(({ match }) => match.includes(first))
  if (route === undefined) return `/files${address.pathname}${address.search}`
  return route.guard?.(address) ?? route
}

/** Loads the code of an address and sends its requests, before anything is rendered. */
export function preload(address: Address): Promise<unknown> {
  let [route, at] = [routeOf(address), address]
  while (typeof route === 'string') {
    const [pathname = '', search] = route.split('?')
    at = { pathname, search: search === undefined ? '' : `?${search}` }
    route = routeOf(at)
  }
  route.load?.(at)
  return loadCode(route)
}

const loadCode = ({ frame, screen }: Route): Promise<unknown> => Promise.all([frame?.load(), screen.load()])

/** A part with its texts. */
function part<Props extends object>(load: () => Promise<ComponentType<Props>>, ...texts: TextSet[]): LazyPart<Props> {
  return lazyPart(async () => {
    const [View] = await Promise.all([load(), needTexts(...texts)])
    return View
  })
}

/** The page of the settings, or the address that it leads to instead. */
function settingsAt({ pathname }: Address): SettingsTab | string {
  const [, name, id] = pathname.split('/').filter(Boolean)
  if (name === undefined) return '/settings/profile'
  const page = settingsPages.find((page) => page.name === name)
  if (page === undefined) return '/404'
  if (!mayOpen(page)) return '/403'
  const single = singleOf(page.name)
  if (single === undefined || id === undefined) return { name: page.name }
  if (id === 'new') return { name: single, id: null }
  return /^\d+$/.test(id) ? { name: single, id: Number(id) } : '/404'
}

/** Where there is no login page, leading to it would be a circle. */
const noLogin = '/403'

function withoutSession(address: Address): string | null {
  return currentSession() === null ? signInFirst(address) : null
}

function signInFirst(address: Address): string {
  return startSettings.LoginPage ? loginAddress(address) : noLogin
}

/** Only addresses of our own: a crafted link must not lead elsewhere after signing in. */
function wantedAfterLogin(search: string): string {
  const wanted = new URLSearchParams(search).get('redirect') ?? ''
  return /^\/(?![/\\])/.test(wanted) && !wanted.startsWith('/login') ? wanted : '/files/'
}
