import { isInside, nameOf, parentOf } from '@filestead/contract'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import { showFailure } from '../../dialogs/show-failure.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { withoutMarks } from '../../i18n/placeholders.ts'
import { folderAddress } from '../../navigation/addresses.ts'
import { Link } from '../../navigation/Link.tsx'
import { navigate, useLocation } from '../../navigation/location.ts'
import { favouritesQuery } from '../../server/queries/favourites.ts'
import { mountsQuery } from '../../server/queries/mounts.ts'
import { trashQuery } from '../../server/queries/trash.ts'
import { can, isGuest } from '../../server/session.ts'
import { useScope } from '../../state/session-scope.ts'
import { Icon } from '../../ui/Icon.tsx'
import { useMedia } from '../../ui/media.ts'
import { titleWhereCut } from '../../ui/title-where-cut.ts'
import { keepClipboard } from '../../workspace/kept-clipboard.ts'
import { useRecentPlaces } from '../../workspace/recent-places.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { makeDropTarget } from '../grid/drag.ts'
import styles from './SidebarPlaces.module.css'
import { SidebarResizer } from './SidebarResizer.tsx'
import { SidebarTree } from './SidebarTree.tsx'
import { setFavourite } from './set-favourite.ts'

/** In milliseconds: so long what the sidebar knows is not asked for again by itself. */
const freshFor = 60_000

/** How many of the recent folders are shown. */
const mostRecent = 3

/**
 * What lies between "My files" and the commands of the sidebar: the tree, links, favourites and recent folders. Nothing
 * beside a rail, or in a drawer that is closed.
 */
export function SidebarPlaces({ isShown }: { isShown: boolean }) {
  const isCompact = useMedia('compact')
  const scope = useScope()
  useEffect(() => keepClipboard(scope), [scope])
  useEffect(() => {
    const root = document.getElementById('my-files')
    if (root === null) return
    const onSpring = () => void navigate(folderAddress('/'))
    return makeDropTarget(root, '/', { canUpload: can('create'), onSpring })
  }, [])
  if (!isShown) return null
  return (
    <>
      <div className={styles.tree}>
        <SidebarTree />
      </div>
      <div className={styles.places}>
        <Shared />
        <Trash />
        <Favourites />
        <Recent />
      </div>
      {!isCompact && <SidebarResizer />}
    </>
  )
}

function Favourites() {
  const { t } = useTranslation()
  const { data: paths = [] } = useQuery({ ...favouritesQuery(), enabled: !isGuest() })
  if (paths.length === 0) return null
  return (
    <Section title={t('tree.favourites')}>
      {paths.map((path) => (
        <Place key={path} path={path} icon={<Star />}>
          <button
            type="button"
            className={styles.remove}
            aria-label={withoutMarks(t('tree.removeNamed', { name: titleOf(path, t('frame.myFiles')) }))}
            data-tip={t('tree.removeFavourite')}
            onClick={() => void setFavourite(path, false).catch(showFailure)}
          >
            <Icon name="x" small />
          </button>
        </Place>
      ))}
    </Section>
  )
}

/** Without the folder in view and those above it, which breadcrumbs and tree show. */
function Recent() {
  const { t } = useTranslation()
  const folder = useWorkspace((workspace) => workspace.folder)
  const { data: favourites = [] } = useQuery({ ...favouritesQuery(), enabled: !isGuest() })
  const paths = useRecentPlaces()
    .flatMap(({ path, isDir }) => (isDir ? path : []))
    .filter((path) => !isInside(folder, path) && !favourites.includes(path))
    .slice(0, mostRecent)
  if (paths.length === 0) return null
  return (
    <Section title={t('tree.recent')}>
      {paths.map((path) => (
        <Place key={path} path={path} icon={<Icon name="clock" />} />
      ))}
    </Section>
  )
}

function Shared() {
  const { t } = useTranslation()
  const { pathname } = useLocation()
  if (!can('share')) return null
  return (
    <Link
      to="/settings/shares"
      className={styles.entry}
      aria-current={pathname === '/settings/shares' ? 'page' : undefined}
    >
      <Icon name="link" />
      <span className={styles.name}>{t('tree.shared')}</span>
    </Link>
  )
}

/** Where something is kept, or was: an empty trash that nothing comes into is not worth a line. */
function Trash() {
  const { t } = useTranslation()
  const { pathname } = useLocation()
  const isAccount = !isGuest()
  const { data: mounts } = useQuery({ ...mountsQuery(), enabled: isAccount, staleTime: freshFor })
  const isOn = mounts?.some(({ hasTrash }) => hasTrash)
  const isAsked = isAccount && isOn === false
  const { data: trash } = useInfiniteQuery({ ...trashQuery(''), enabled: isAsked, staleTime: freshFor })
  // The tree of folders asks for the root folders also for a guest.
  const isShown = isAccount && (isOn === true || trash?.pages.some(({ items }) => items.length > 0) === true)
  if (!isShown) return null
  return (
    <Link to="/trash" className={styles.entry} aria-current={/^\/trash(\/|$)/.test(pathname) ? 'page' : undefined}>
      <Icon name="trash" />
      <span className={styles.name}>{t('tree.trash')}</span>
    </Link>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className={styles.title}>{title}</h2>
      {children}
    </section>
  )
}

/** A link to a folder that takes what is dropped on it. */
function Place({ path, icon, children }: { path: string; icon: ReactNode; children?: ReactNode }) {
  const { t } = useTranslation()
  const { pathname } = useLocation()
  const link = useRef<HTMLAnchorElement>(null)
  const address = folderAddress(path)
  useEffect(() => {
    if (link.current === null) return
    const onSpring = () => void navigate(address)
    return makeDropTarget(link.current, path, { canUpload: can('create'), onSpring })
  }, [path, address])
  return (
    <div className={styles.place}>
      <Link
        ref={link}
        to={address}
        className={styles.entry}
        aria-current={pathname === address ? 'page' : undefined}
        aria-description={path === '/' ? undefined : parentOf(path)}
      >
        {icon}
        <bdi className={styles.name} onPointerEnter={titleWhereCut}>
          {titleOf(path, t('frame.myFiles'))}
        </bdi>
      </Link>
      {children}
    </div>
  )
}

const titleOf = (path: string, root: string): string => (path === '/' ? root : nameOf(path))

/** Here alone, so that no page loads it before the sidebar does. */
const Star = () => (
  <svg className={styles.star} viewBox="0 0 20 20" aria-hidden="true">
    <path d="m10 3.4 2 4.15 4.5.6-3.3 3.15.85 4.5L10 13.6l-4.05 2.2.85-4.5L3.5 8.15l4.5-.6Z" />
  </svg>
)
