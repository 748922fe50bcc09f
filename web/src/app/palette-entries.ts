import type { FetchQueryOptions } from '@tanstack/react-query'
import type { PaletteEntry } from '../commands/command.ts'
import { showFailure } from '../dialogs/show-failure.ts'
import { viewModes } from '../files/browse/view-options.ts'
import { sortBy } from '../files/grid/list-order.ts'
import { columns, sortTexts } from '../files/grid/sorting.ts'
import { needTexts, type TextKey, t } from '../i18n/i18n.ts'
import { navigate } from '../navigation/location.ts'
import { cache } from '../server/queries/cache.ts'
import { mountsQuery } from '../server/queries/mounts.ts'
import { savePreferences } from '../server/queries/preferences.ts'
import { usersQuery } from '../server/queries/users.ts'
import { can, isGuest } from '../server/session.ts'
import { mayOpen, type SettingsPageName, settingsPages } from '../settings/tabs.ts'
import type { GlyphName } from '../ui/glyphs.tsx'
import { workspace } from '../workspace/workspace.ts'
import { logOut, mayLogOut } from './log-out.tsx'

const pages: Record<SettingsPageName, { icon: GlyphName; title: TextKey; sections: readonly TextKey[] }> = {
  profile: {
    icon: 'user',
    title: 'settings.profile.title',
    sections: [
      'settings.profile.browsing',
      'settings.profile.appearance',
      'settings.password.title',
      'settings.sessions.title',
    ],
  },
  shares: { icon: 'link', title: 'settings.shares.title', sections: [] },
  global: {
    icon: 'sliders',
    title: 'settings.global.title',
    sections: [
      'settings.global.accounts',
      'settings.rules.title',
      'settings.global.commands',
      'settings.branding.title',
      'settings.global.uploads',
      'settings.defaults.title',
      'settings.runner.title',
    ],
  },
  users: { icon: 'users', title: 'settings.users.management', sections: [] },
  groups: { icon: 'group', title: 'settings.groups.title', sections: [] },
  mounts: { icon: 'folder', title: 'settings.mounts.title', sections: [] },
  access: { icon: 'lock', title: 'rights.title', sections: [] },
}

/** My files and the trash, views and orders of the listing, themes, every page and section of the settings, logging out, and for administrators every user. */
export async function paletteEntries(): Promise<PaletteEntry[]> {
  await needTexts('settings')
  const [places, users] = await Promise.all([placeEntries(), userEntries()])
  return [...places, ...viewEntries(), ...themeEntries(), ...settingsEntries(), ...logOutEntries(), ...users]
}

async function placeEntries(): Promise<PaletteEntry[]> {
  const mounts = isGuest() ? [] : await known(mountsQuery())
  const trash = { address: '/trash', key: 'tree.trash', icon: 'trash' } as const
  const places = [
    { address: '/files/', key: isGuest() ? 'frame.files' : 'frame.myFiles', icon: 'home' } as const,
    ...(mounts.some(({ hasTrash }) => hasTrash) ? [trash] : []),
  ]
  return places.map((place) => ({
    ...place,
    id: place.address,
    group: 'places',
    label: t(place.key),
    run: () => navigate(place.address),
  }))
}

function viewEntries(): PaletteEntry[] {
  if (workspace().view !== 'listing') return []
  const views = viewModes.map(({ mode, label, icon }): PaletteEntry => {
    const run = () => savePreferences({ viewMode: mode }).catch(showFailure)
    return { id: `view ${mode}`, group: 'view', key: label, label: t(label), detail: t('files.view'), icon, run }
  })
  const orders = columns.map((by): PaletteEntry => {
    const key = sortTexts[by].action
    return { id: `sort ${by}`, group: 'view', key, label: t(key), icon: 'sort', run: () => sortBy(by) }
  })
  return [...views, ...orders]
}

const themeEntries = (): PaletteEntry[] =>
  themes.map(({ theme, key }): PaletteEntry => {
    const run = () => savePreferences({ theme }).catch(showFailure)
    return {
      id: `theme ${theme}`,
      group: 'view',
      key,
      label: t(key),
      detail: t('settings.branding.theme'),
      icon: 'eye',
      run,
    }
  })

const themes = [
  { theme: 'light', key: 'settings.branding.themeLight' },
  { theme: 'dark', key: 'settings.branding.themeDark' },
  { theme: 'system', key: 'settings.branding.themeSystem' },
] as const

const settingsEntries = (): PaletteEntry[] =>
  settingsPages.filter(mayOpen).flatMap(({ name }) => {
    const { icon, title, sections } = pages[name]
    const address = `/settings/${name}`
    const shared = { group: 'settings', icon, address } as const
    const page = { ...shared, id: address, key: title, label: t(title), run: () => navigate(address) }
    return [
      page,
      ...sections.map((key) => ({
        ...shared,
        id: `${address} ${key}`,
        key,
        label: t(key),
        detail: page.label,
        run: () => openSection(address, t(key)),
      })),
    ]
  })

const logOutEntries = (): PaletteEntry[] =>
  mayLogOut()
    ? [{ id: 'logout', group: 'settings', key: 'frame.logout', label: t('frame.logout'), icon: 'logout', run: logOut }]
    : []

async function userEntries(): Promise<PaletteEntry[]> {
  if (!can('admin')) return []
  const users = await known(usersQuery())
  return users.map(({ id, username }) => {
    const address = `/settings/users/${id}`
    return { id: address, group: 'users', label: username, icon: 'user', address, run: () => navigate(address) }
  })
}

/** A list that may be a minute old; none where it cannot be read. */
const known = <Item>(query: FetchQueryOptions<Item[], Error, Item[], string[]>): Promise<Item[]> =>
  cache()
    .fetchQuery({ ...query, staleTime: 60_000 })
    .catch(() => [])

/** How long a page may take to show its sections, in milliseconds. */
const longest = 5000

/** Opens the page, and takes keyboard and view to the section once it is there. */
async function openSection(address: string, title: string): Promise<boolean> {
  if (!(await navigate(address))) return false
  const isThere = (): boolean => {
    const heading = [...document.querySelectorAll<HTMLElement>('main h3')].find((each) => each.textContent === title)
    if (heading === undefined) return false
    heading.tabIndex = -1
    heading.focus({ preventScroll: true })
    heading.scrollIntoView({ block: 'start' })
    return true
  }
  // The palette is still there, and gives the focus back when it closes.
  setTimeout(() => {
    if (isThere()) return
    const observer = new MutationObserver(() => isThere() && observer.disconnect())
    observer.observe(document.body, { childList: true, subtree: true })
    setTimeout(() => observer.disconnect(), longest)
  }, 50)
  return true
}
