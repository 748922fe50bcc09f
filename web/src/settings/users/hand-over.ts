import { copyLink } from '../../commands/copy-link.ts'
import { t } from '../../i18n/i18n.ts'
import { startSettings } from '../../server/start-settings.ts'
import { sessionStore } from '../../state/session-scope.ts'

/** What a user needs to sign in, from the moment a password was given until the administrator leaves the page. */
export interface SignInDetails {
  userId: number
  username: string
  password: string
}

const details = sessionStore<SignInDetails | null>(null)

/** Only where the server checks passwords, there is something to pass on. */
export function offerDetails(given: SignInDetails): void {
  if (startSettings.AuthMethod === 'json' && given.password !== '') details.set(given)
}

export const forgetDetails = (): void => details.set(null)

export function useDetailsOf(userId: number): SignInDetails | null {
  const offered = details.use()
  return offered?.userId === userId ? offered : null
}

export const signInAddress = (): string => `${location.origin}${startSettings.BaseURL}/`

export const copyDetails = ({ username, password }: SignInDetails): Promise<void> =>
  copyLink(
    [signInAddress(), `${t('settings.username')}: ${username}`, `${t('settings.user.password')}: ${password}`].join(
      '\n',
    ),
    t('settings.user.detailsCopied'),
  )
