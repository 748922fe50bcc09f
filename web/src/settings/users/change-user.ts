import type { User } from '@filestead/contract'
import { ask } from '../../dialogs/ask.ts'
import { askCurrentPassword } from '../../dialogs/ask-current-password.ts'
import { Confirmation } from '../../dialogs/Confirmation.tsx'
import { showFailure } from '../../dialogs/show-failure.ts'
import { t } from '../../i18n/i18n.ts'
import { goTo } from '../../navigation/location.ts'
import { ApiError } from '../../server/client.ts'
import { cache } from '../../server/queries/cache.ts'
import { createUser, removeUser, updateUser, usersQuery } from '../../server/queries/users.ts'
import { currentSession, forgetSession, renew } from '../../server/session.ts'
import { startSettings } from '../../server/start-settings.ts'
import { toastError, toastSuccess } from '../../ui/toasts.ts'
import { explainAccountFailure } from '../forms/account-failure.ts'
import { offerDetails } from './hand-over.ts'
import { type UserFields, userOf } from './user-fields.ts'

/** Creates or updates a user. Answers false when the password is not given. */
export async function saveUser(fields: UserFields, user: User): Promise<boolean> {
  const password = asksPassword ? await askCurrentPassword() : ''
  if (password === null) return false
  const wanted = userOf(fields, user)
  if (user.id === 0) {
    const address = await createUser(wanted, password, { hasOwnFolder: fields.makesHome })
    offerDetails({ username: wanted.username, password: wanted.password, userId: Number(address?.split('/').at(-1)) })
    toastSuccess(t('settings.user.created'))
    goTo(address ?? '/settings/users')
    return true
  }
  await updateUser(wanted, 'all', password)
  // The query of one user lies below the query of all.
  await cache().invalidateQueries({ queryKey: usersQuery().queryKey })
  if (isSelf(user)) await renew()
  else offerDetails({ username: wanted.username, password: wanted.password, userId: user.id })
  toastSuccess(t('settings.user.updated'))
  return true
}

export async function deleteUser(user: User): Promise<void> {
  const question = isSelf(user)
    ? t('settings.user.deleteSelfQuestion')
    : t('settings.user.deleteQuestion', { username: user.username })
  // A password that is given answers the question, too.
  const password = asksPassword ? await askCurrentPassword(question) : await confirm(question)
  if (password === null) return
  try {
    await removeUser(user.id, password)
  } catch (error) {
    return explainRefusal(error)
  }
  if (isSelf(user)) {
    void forgetSession('signed-out')
    goTo('/login')
    return toastSuccess(t('settings.user.deleted'))
  }
  toastSuccess(t('settings.user.deleted'))
  cache().removeQueries({ queryKey: ['users', user.id] })
  goTo('/settings/users')
}

function explainRefusal(error: unknown): void {
  const { field, text } = explainAccountFailure(error)
  if (error instanceof ApiError && error.status === 403) toastError(t('errors.forbidden'))
  else if (field === null) showFailure(error)
  else toastError(text)
}

/** Where people sign in with a password, a stolen session alone must not be enough to change users. */
const asksPassword = startSettings.AuthMethod === 'json'

async function confirm(text: string): Promise<'' | null> {
  const words = { title: t('settings.user.deleteTitle'), cancel: t('buttons.cancel'), confirm: t('buttons.delete') }
  return (await ask(Confirmation, { ...words, text })) === null ? null : ''
}

const isSelf = ({ id }: User): boolean => id === currentSession()?.user.id
