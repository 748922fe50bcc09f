import { parentOf } from '@filestead/contract'
import { hintOf } from '../../commands/command-keys.ts'
import { run, useOffered } from '../../commands/registry.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { folderAddress, loginAddress } from '../../navigation/addresses.ts'
import { canGoBack, canGoForward, navigate } from '../../navigation/location.ts'
import { isGuest } from '../../server/session.ts'
import { startSettings } from '../../server/start-settings.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { DrawerButton } from '../../ui/DrawerButton.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { useMedia } from '../../ui/media.ts'
import { Bar } from '../../ui/Panel.tsx'
import { Toolbar } from '../../ui/Toolbar.tsx'
import { useWorkspace } from '../../workspace/workspace.ts'
import { Breadcrumbs } from './Breadcrumbs.tsx'
import styles from './FolderHeader.module.css'
import { MoreMenu } from './MoreMenu.tsx'
import { PhoneTitle } from './PhoneTitle.tsx'

/** History, breadcrumbs and search; on a phone the way up, the title and the menu "More". For guests a way to sign in. */
export function FolderHeader({ path }: { path: string }) {
  const { t } = useTranslation()
  const isNarrow = useMedia('narrow')
  const isListing = useWorkspace(({ view }) => view === 'listing')
  const isSelecting = useWorkspace(({ selection }) => selection.names.size > 0)

  return (
    <Bar>
      <DrawerButton label={t('frame.toggleSidebar')} />
      {isNarrow ? (
        <PhoneTitle path={path} />
      ) : (
        <>
          <HistoryButtons path={path} />
          <Breadcrumbs path={path} />
        </>
      )}
      {!isNarrow && <span className={styles.gap} />}
      {isNarrow && isListing && (
        <Toolbar label={t('files.fileActions')} className={styles.tools}>
          {isSelecting && <SearchIconButton />}
          <MoreMenu />
        </Toolbar>
      )}
      {!isNarrow && <SearchButton />}
      {isGuest() && startSettings.LoginPage && (
        <Button look={isNarrow ? 'quiet' : 'primary'} onClick={() => void navigate(loginAddress())}>
          {t('frame.signIn')}
        </Button>
      )}
    </Bar>
  )
}

function HistoryButtons({ path }: { path: string }) {
  const { t } = useTranslation()
  return (
    <>
      <Toolbar label={t('files.ways')} className={styles.ways}>
        <IconButton
          small
          icon="arrow-left"
          label={t('files.back')}
          disabled={!canGoBack()}
          onClick={() => history.back()}
        />
        <IconButton
          small
          icon="arrow-right"
          label={t('files.forward')}
          disabled={!canGoForward()}
          onClick={() => history.forward()}
        />
        <IconButton
          small
          icon="arrow-up"
          label={t('files.up')}
          disabled={path === '/'}
          onClick={() => void navigate(folderAddress(parentOf(path)))}
        />
      </Toolbar>
      <span className={styles.rule} />
    </>
  )
}

/** On a phone the bar at the bottom has the search, until the selection bar takes its place. */
function SearchIconButton() {
  const { t } = useTranslation()
  const search = useOffered('search')
  if (search === undefined) return null
  return <IconButton icon="search" label={t(search.label)} onClick={() => void run(search)} />
}

function SearchButton() {
  const { t } = useTranslation()
  const search = useOffered('search')
  if (search === undefined) return null
  const hint = hintOf(search)
  return (
    // Installed custom style sheets know the id.
    <button type="button" id="search" className={styles.search} onClick={() => void run(search)}>
      <Icon name="search" small />
      <span>{t('files.search')}</span>
      {hint !== undefined && (
        <span className={styles.key} aria-hidden="true">
          {hint}
        </span>
      )}
    </button>
  )
}
