import { isCancelledError } from '@tanstack/react-query'
import { t } from '../i18n/i18n.ts'
import { toastError } from '../ui/toasts.ts'
import { ApiError, isAbort } from './client.ts'

/** Says in a toast what went wrong. What was left on purpose is not worth a word. */
export function showFailure(error: unknown): void {
  if (!isAbort(error) && !isCancelledError(error)) toastError(describeFailure(error))
}

/** A refusal in the person's language; where the server has more to say than a code, its own words. */
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
      return error.message
  }
}

/** Of all that a request can have wrong with it, these are the ones that people can bring about in the client. */
function describeMistake(message: string): string {
  const [, rule] = /^the rule "(.*)" is not a valid expression$/.exec(message) ?? []
  if (rule !== undefined) return t('failures.badRule', { rule })
  const isIntoItself = ['source is parent', 'a folder cannot be put into itself'].includes(message)
  return isIntoItself ? t('failures.intoItself') : message
}

/** A part of the program that is loaded when first needed, and did not come. Every browser says it in words of its own. */
export const isMissingPart = (error: unknown): boolean =>
  error instanceof Error && /dynamically imported module|importing a module|unable to preload/i.test(error.message)
