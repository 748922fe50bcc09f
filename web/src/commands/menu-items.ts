import { t } from '../i18n/i18n.ts'
import type { MenuItem } from '../ui/Menu.tsx'
import { workspace } from '../workspace/workspace.ts'
import type { Command } from './command.ts'
import { hintOf } from './command-keys.ts'
import { run } from './registry.ts'

/** Commands as items of a menu. */
export const menuItems = (commands: readonly Command[]): MenuItem[] =>
  commands.map((command) => ({
    id: command.id,
    label: t(command.label),
    ...(command.shown && { shown: t(command.shown) }),
    icon: command.icon,
    shortcut: hintOf(command),
    isDanger: command.isDanger,
    isDisabled: !command.when(workspace()),
    onSelect: () => void run(command),
  }))
