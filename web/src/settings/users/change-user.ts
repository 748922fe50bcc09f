import type { User } from '@filestead/contract'
import { ask } from '../../dialogs/ask.ts'
import { askCurrentPassword } from '../../dialogs/ask-current-password.ts'
import { Confirmation } from '../../dialogs/Confirmation.tsx'
import { describeFailure, showFailure } from '../../dialogs/show-failure.ts'
import { t } from '../../i18n/i18n.ts'
import { goTo } from '../../navigation/location.ts'
import { ApiError, isAbort } from '../../server/client.ts'
import { cache } from '../../server/queries/cache.ts'
import { changeGroupsOf, groupsQuery } from '../../server/queries/groups.ts'
import { updateUser } from '../../server/queries/update-user.ts'
import { createUser, removeUser, usersQuery } from '../../server/queries/users.ts'
import { currentSession, forgetSession, renew } from '../../server/session.ts'
import { startSettings } from '../../server/start-settings.ts'
import { toastError, toastSuccess } from '../../ui/toasts.ts'
import { explainAccountFailure } from '../forms/account-failure.ts'
import { merged } from '../forms/merged.ts'
import { offerDetails } from './hand-over.ts'
import { type UserFields, userOf } from './user-fields.ts'

/** Creates or updates a user, and its groups with it. Answers false when the password is not given. */
export async function saveUser(fields: UserFields, seen: UserFields, user: User): Promise<boolean> {
  if (user.id !== 0 && isSame({ ...fields, groups: seen.groups }, seen)) {
    // Groups are no part of the account: they are changed as on their own page, without the password.
    await saveGroups(user.id, seen.groups, fields.groups)
    toastSuccess(t('settings.user.updated'))
    return true
  }
  const password = asksPassword ? await askCurrentPassword() : ''
  if (password === null) return false
  const wanted = userOf(fields, user)
  if (user.id === 0) {
    const address = await createUser(wanted, password, { hasOwnFolder: fields.makesHome })
    const userId = Number(address?.split('/').at(-1))
    offerDetails({ username: wanted.username, password: wanted.password, userId })
    toastSuccess(t('settings.user.created'))
    await saveGroups(userId, [], fields.groups).catch(tellGroupsLost)
    goTo(address ?? '/settings/users')
    return true
  }
  await updateUser(wanted, 'all', password)
  const areGroupsSaved = await saveGroups(user.id, seen.groups, fields.groups).then(() => true, tellGroupsLost)
  // The query of one user lies below the query of all.
  await cache().invalidateQueries({ queryKey: usersQuery().queryKey })
  if (isSelf(user)) await renew()
  else offerDetails({ username: wanted.username, password: wanted.password, userId: user.id })
  if (areGroupsSaved) toastSuccess(t('settings.user.updated'))
  return areGroupsSaved
}

/** The account is stored by then, whatever becomes of its groups. */
function tellGroupsLost(error: unknown): false {
  toastError(t('settings.user.groupsNotSaved', { reason: describeFailure(error) }))
  return false
}

/** Only what was changed here is changed: another administrator may have changed the rest meanwhile. */
async function saveGroups(userId: number, seen: readonly number[], wanted: readonly number[]): Promise<void> {
  if (isSame(seen, wanted)) return
  const groups = await cache().fetchQuery(groupsQuery())
  const stored = groups.filter(({ members }) => members.includes(userId)).map(({ id }) => id)
  await changeGroupsOf(userId, merged(seen, wanted, stored))
}

const isSame = (one: object, other: object): boolean => JSON.stringify(one) === JSON.stringify(other)

export async function deleteUser(user: User): Promise<void> {
  const isOwn = isSelf(user)
  const question = isOwn
    ? t('settings.user.deleteSelfQuestion')
    : t('settings.user.deleteQuestion', { username: user.username })
  // A password that is given answers the question, too.
  const password = asksPassword ? await askCurrentPassword(question) : await confirm(question)
  if (password === null) return
  try {
    await removeUser(user.id, password)
  } catch (error) {
    // The session of a deleted account may end before the answer comes, and the request ends with it.
    if (isOwn && isAbort(error)) return goTo('/login')
    return explainRefusal(error)
  }
  if (isOwn) {
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
