import { describeFailure } from '../../dialogs/show-failure.ts'
import { t } from '../../i18n/i18n.ts'
import { toastError, toastSuccess } from '../../ui/toasts.ts'
import { namesOf } from './name-list.tsx'
import type { JobOutcome } from './outcome.ts'

/** Says what was done, what could not be, by name, and what was left. */
export function reportOutcome(
  { done, failed, left, leftOut }: Pick<JobOutcome<{ name: string }>, 'done' | 'failed' | 'left' | 'leftOut'>,
  failure: 'change.deleteFailed' | 'change.moveFailed' | 'change.copyFailed' | 'change.restoreFailed',
  sayDone: () => void,
): void {
  if (done.length > 0) sayDone()
  if (left.length > 0) toastSuccess(t('change.stopped', { count: left.length }))
  if (leftOut !== null) toastError(leftOut)
  if (failed.length === 0) return
  const names = namesOf(failed.map(({ item }) => item))
  toastError(t(failure, { names, reason: describeFailure(failed[0]?.error) }))
}
