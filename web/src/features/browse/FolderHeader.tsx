import { parentOf } from '@filestead/contract'
import { useTranslation } from 'react-i18next'
import { availableActions, perform } from '../../actions/registry.ts'
import { shownShortcut } from '../../actions/shortcuts.ts'
import { folderAddress } from '../../navigation/addresses.ts'
import { canGoBack, canGoForward, navigate } from '../../navigation/location.ts'
import { usePlace } from '../../place/place.ts'
import { IconButton } from '../../ui/Button.tsx'
import { DrawerButton } from '../../ui/DrawerButton.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { useMedia } from '../../ui/media.ts'
import { Bar } from '../../ui/Panel.tsx'
import { Toolbar } from '../../ui/Toolbar.tsx'
import { Breadcrumbs } from './Breadcrumbs.tsx'
import styles from './FolderHeader.module.css'
import { MoreMenu } from './MoreMenu.tsx'

/** Where one is, the ways elsewhere, and the search. */
export function FolderHeader({ path }: { path: string }) {
  const { t } = useTranslation()
  const isNarrow = useMedia('narrow')
  const { view, selection } = usePlace()

  return (
    <Bar>
      <DrawerButton label={t('frame.toggleSidebar')} />
      {!isNarrow && <Ways path={path} />}
      <Breadcrumbs path={path} />
      <span className={styles.gap} />
      {isNarrow && view === 'listing' && (
        <Toolbar label={t('files.fileActions')} className={styles.tools}>
          {selection.names.size > 0 && <SearchSign />}
          <MoreMenu />
        </Toolbar>
      )}
      {!isNarrow && <SearchButton />}
    </Bar>
  )
}

function Ways({ path }: { path: string }) {
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

/** On a phone the bar at the bottom has the search, until something is chosen: then it makes room for what can be done. */
function SearchSign() {
  const { t } = useTranslation()
  const [search] = availableActions(usePlace(), ['search'])
  if (search === undefined) return null
  return <IconButton icon="search" label={t(search.label)} onClick={() => void perform(search)} />
}

function SearchButton() {
  const { t } = useTranslation()
  const place = usePlace()
  const [search] = availableActions(place, ['search'])
  const [palette] = availableActions(place, ['palette'])
  if (search === undefined) return null
  const shortcut = palette?.shortcut ?? search.shortcut
  return (
    <button type="button" id="search" className={styles.search} onClick={() => void perform(search)}>
      <Icon name="search" small />
      <span>{t('files.search')}</span>
      {shortcut !== undefined && (
        <span className={styles.key} aria-hidden="true">
          {shownShortcut(shortcut)}
        </span>
      )}
    </button>
  )
}
