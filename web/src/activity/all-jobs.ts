import type { Command } from '../commands/command.ts'
import { can } from '../server/session.ts'
import { perSession } from '../state/session-scope.ts'
import { createStore } from '../state/store.ts'
import { addActivity } from './activities.ts'
import { openTray } from './tray.ts'

const shown = perSession(() => ({ takeOut: null as (() => void) | null }))

/** Administrators see what goes on for others, too. */
export const allJobs: Command = {
  id: 'all-jobs',
  label: 'activity.all',
  icon: 'activity',
  when: () => can('admin'),
  async run() {
    const own = shown()
    const { AllJobs } = await import('./AllJobs.tsx')
    const status = createStore({ title: '', text: '', progress: null, state: 'over' as const })
    const cancel = () => {
      own.takeOut?.()
      own.takeOut = null
    }
    own.takeOut ??= addActivity({ kind: 'reading', status, Panel: AllJobs, cancel })
    openTray()
  },
}
