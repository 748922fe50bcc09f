import { t } from '../i18n/i18n.ts'
import { ApiError, isAbort } from '../server/client.ts'
import { toastError } from '../ui/toasts.ts'

/** Shows in a toast what went wrong. What was cancelled on purpose is not told. */
export function showFailure(error: unknown): void {
  if (!isAbort(error) && !isCancelledQuery(error)) toastError(describeFailure(error))
}

/** By its message: the login screen describes failures, too, and does without the query library. */
const isCancelledQuery = (error: unknown): boolean => error instanceof Error && error.message === 'CancelledError'

/** A refusal in the language of the page; where the server has more to say than a code, its own words. */
export function describeFailure(error: unknown): string {
  if (isMissingPart(error)) return t('failures.noConnection')
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
  if (error.status === 0) return t('failures.noConnection')
  switch (error.code) {
    case 'forbidden':
      return t('failures.forbidden')
    case 'not-found':
      return t('failures.notFound')
    case 'already-exists':
      return t('failures.alreadyExists')
    case 'changed-meanwhile':
      return t('failures.changedMeanwhile')
    case 'too-large':
      return t('failures.tooLarge')
    case 'locked':
      return t('failures.locked')
    case 'no-space':
      return t('failures.noSpace')
    case 'too-many-tries':
      return t('failures.tooManyTries')
    case 'download-withheld':
      return t('failures.downloadWithheld')
    case 'wrong-credentials':
      return t('login.wrongCredentials')
    case 'unavailable':
      return t('failures.unavailable')
    case 'internal':
      return t('failures.internal')
    case 'incomplete':
      return t('failures.noConnection')
    case 'invalid':
      return describeMistake(error.message)
    default:
      // A proxy that takes no more has no code of the product.
      return error.status === 413 ? t('failures.tooLarge') : error.message
  }
}

/** Those mistakes in a request that can be made in the client. */
function describeMistake(message: string): string {
  const [, rule] = /^the rule "(.*)" is not a valid expression$/.exec(message) ?? []
  if (rule !== undefined) return t('failures.badRule', { rule })
  const isIntoItself = ['source is parent', 'a folder cannot be put into itself'].includes(message)
  return isIntoItself ? t('failures.intoItself') : message
}

/** A part of the program that is loaded when first needed, and could not be. Each browser words it differently. */
export const isMissingPart = (error: unknown): boolean =>
  error instanceof Error && /dynamically imported module|importing a module|unable to preload/i.test(error.message)
