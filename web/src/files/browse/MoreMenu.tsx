import { menuItems } from '../../commands/menu-items.ts'
import { useSectionsOf } from '../../commands/registry.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { useUser } from '../../server/session.ts'
import { IconButton } from '../../ui/Button.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { clipboard } from '../../workspace/clipboard.ts'
import { useSortSections } from '../grid/list-order.ts'
import { useViewSections, viewModeOf } from './view-options.ts'

/** On a phone: the commands that larger screens have in the toolbar. */
export function MoreMenu() {
  const { t } = useTranslation()
  // What is held decides whether pasting is offered.
  clipboard.use()
  const commands = useSectionsOf('phone-more')
  const views = useViewSections()
  const orders = useSortSections()
  const isList = viewModeOf(useUser().viewMode) === 'list'
  return (
    <Menu
      label={t('files.more')}
      align="end"
      sections={[...commands.map(menuItems), ...views, ...(isList ? [] : orders)]}
      trigger={<IconButton icon="more" label={t('files.more')} />}
    />
  )
}
