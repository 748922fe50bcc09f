import { type Activity, addActivity } from '../../activity/activities.ts'
import { openTray } from '../../activity/tray.ts'
import type { Command } from '../../commands/command.ts'
import { needTexts } from '../../i18n/i18n.ts'
import { isGuest } from '../../server/session.ts'
import { perSession } from '../../state/session-scope.ts'
import { createStore } from '../../state/store.ts'

const shown = perSession(() => ({ takeOut: null as (() => void) | null }))

/** What the person did in the last day, in the tray, with the ways to take it back. */
export const recentChanges: Command = {
  id: 'recent-changes',
  label: 'tree.changes',
  icon: 'clock',
  menus: { folder: [2, 5], 'phone-more': [2, 8] },
  when: ({ view }) => view !== 'editor' && !isGuest(),
  async run() {
    const own = shown()
    const [{ RecentChanges }] = await Promise.all([import('./RecentChanges.tsx'), needTexts('trash')])
    const status = createStore({ title: '', text: '', progress: null, state: 'over' as const })
    const cancel = () => {
      own.takeOut?.()
      own.takeOut = null
    }
    const activity: Activity = { kind: 'reading', status, Panel: RecentChanges, cancel }
    own.takeOut ??= addActivity(activity)
    openTray()
  },
}
