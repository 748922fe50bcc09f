import { describeFailure } from '../../dialogs/show-failure.ts'
import { t } from '../../i18n/i18n.ts'
import { ApiError } from '../../server/client.ts'

/** Where in a form a refusal belongs, and what it says there. */
export interface AccountFailure {
  field: 'username' | 'password' | 'currentPassword' | null
  text: string
}

/** The server's refusals about accounts, in the person's language and beside the field they are about. */
export function explainAccountFailure(error: unknown): AccountFailure {
  if (error instanceof ApiError && error.code === 'already-exists')
    return { field: 'username', text: t('settings.user.nameTaken') }
  const message = error instanceof ApiError && error.code === 'invalid' ? error.message : ''
  const tooShort = /password is too short, minimum length is (\d+)/.exec(message)
  if (tooShort !== null)
    return { field: 'password', text: t('settings.password.tooShort', { count: Number(tooShort[1]) }) }
  if (message.includes('password is too easy')) return { field: 'password', text: t('settings.password.tooEasy') }
  if (message.includes('password is empty')) return { field: 'password', text: t('settings.password.empty') }
  if (message.includes('current password is incorrect'))
    return { field: 'currentPassword', text: t('settings.password.wrongCurrent') }
  if (message.includes('username is empty')) return { field: 'username', text: t('settings.user.emptyName') }
  if (message.includes('no folder can be named')) return { field: 'username', text: t('settings.user.noFolderName') }
  return { field: null, text: describeFailure(error) }
}
