import { useTranslation } from 'react-i18next'
import { availableActions } from '../../actions/registry.ts'
import { useUser } from '../../api/session.ts'
import { usePlace } from '../../place/place.ts'
import { IconButton } from '../../ui/Button.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { menuItems } from './menu-items.ts'
import { viewModeOf } from './view-mode.ts'
import { useSortSections, useViewSections } from './view-sections.ts'

/** On a phone: everything that the toolbar shows elsewhere. */
export function MoreMenu() {
  const { t } = useTranslation()
  const place = usePlace()
  const views = useViewSections()
  const orders = useSortSections()
  const isList = viewModeOf(useUser().viewMode) === 'list'
  const creations = ['new-folder', 'new-file', 'upload']
  const actions = ['download', 'info', 'select-multiple', 'select-all', 'switch-view', 'toggle-shell']
  return (
    <Menu
      label={t('files.more')}
      align="end"
      sections={[
        menuItems(availableActions(place, creations)),
        menuItems(availableActions(place, actions)),
        ...views,
        ...(isList ? [] : orders),
      ]}
      trigger={<IconButton icon="more" label={t('files.more')} />}
    />
  )
}
