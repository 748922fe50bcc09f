import type { Job } from '@filestead/contract'
import { formatNumber } from '../i18n/format.ts'
import { titleMark } from '../navigation/title.ts'
import { instanceName } from '../server/start-settings.ts'
import { note } from '../state/personal-storage.ts'
import { createStore } from '../state/store.ts'
import { jobsUnderWay } from './activities.ts'
import { jobTitle, problemOf } from './job-texts.ts'

/** Whether notices of the system were asked for on this device, so that it is done once. */
const askedKey = 'filestead.job-notices'

/** `none` where there are no notices: without a secure connection, or after a refusal. */
type Notices = 'none' | 'unasked' | 'granted'

export const notices = createStore<Notices>(noticesNow())

function noticesNow(): Notices {
  if (!globalThis.isSecureContext || !('Notification' in globalThis)) return 'none'
  if (Notification.permission === 'granted') return 'granted'
  return Notification.permission === 'default' && localStorage.getItem(askedKey) === null ? 'unasked' : 'none'
}

/** Only from a press of a button: browsers refuse the question otherwise. */
export async function wantNotices(): Promise<void> {
  note(localStorage, askedKey, '1')
  await Notification.requestPermission()
  notices.set(noticesNow())
}

/** A job that lasts longer is worth a notice, in seconds. */
const worthNotice = 10

/** A job that was shown has ended. The system tells where the page cannot be seen. */
export function endedJob(job: Job): void {
  const { id, state, createdAt, endedAt = createdAt } = job
  if (!document.hidden || state === 'cancelled' || noticesNow() !== 'granted') return
  if (endedAt - createdAt < worthNotice) return
  try {
    // Several tabs tell of the same job once.
    const notice = new Notification(instanceName, { body: problemOf(job) ?? jobTitle(job), tag: `filestead-job-${id}` })
    notice.onclick = () => {
      window.focus()
      notice.close()
    }
  } catch {
    // Some phones have them for service workers alone.
  }
}

/** The number of jobs under way: on the icon of an installed app, before the title of the page, on the button of a phone. */
export function showBadge(count: number): void {
  titleMark.set(count === 0 ? '' : `(${formatNumber(count)}) `)
  jobsUnderWay.set(count)
  if (!('setAppBadge' in navigator)) return
  const shown = count === 0 ? navigator.clearAppBadge() : navigator.setAppBadge(count)
  shown.catch(() => {})
}
