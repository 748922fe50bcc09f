import type { SessionInfo } from '@filestead/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { ask } from '../../dialogs/ask.ts'
import { Confirmation } from '../../dialogs/Confirmation.tsx'
import { showFailure } from '../../dialogs/show-failure.ts'
import { t, useTranslation } from '../../i18n/i18n.ts'
import { cache } from '../../server/queries/cache.ts'
import { endOtherSessions, endSession, sessionsQuery } from '../../server/queries/sessions.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { toastSuccess } from '../../ui/toasts.ts'
import { useBusy } from '../forms/draft.ts'
import { Section } from '../forms/Form.tsx'
import styles from './SessionList.module.css'
import { readUserAgent } from './user-agent.ts'

/** The sessions of the user, the present one first, each with a button that ends it. */
export function SessionList() {
  const { t } = useTranslation()
  const { data } = useSuspenseQuery(sessionsQuery())
  const ending = useBusy(endOthers)
  const sessions = [...data].sort((a, b) => Number(b.current) - Number(a.current) || b.lastUsed - a.lastUsed)

  return (
    <Section isCard title={t('settings.sessions.title')} text={t('settings.sessions.text')}>
      <ul className={styles.list} aria-label={t('settings.sessions.title')}>
        {sessions.map((session) => (
          <Session key={session.id} session={session} />
        ))}
      </ul>
      {sessions.length > 1 && (
        <Button look="line" {...ending}>
          {t('settings.sessions.endOthers')}
        </Button>
      )}
    </Section>
  )
}

function Session({ session }: { session: SessionInfo }) {
  const { t } = useTranslation()
  const nameId = useId()
  const ending = useBusy(() => endOne(session))
  const { system } = readUserAgent(session.userAgent)

  return (
    <li className={styles.session}>
      <span className={styles.mark}>
        <Icon name={system === null ? 'terminal' : 'globe'} />
      </span>
      <div className={styles.words}>
        <span id={nameId} className={styles.name}>
          {nameOf(session)}
          {session.current && <span className={styles.badge}>{t('settings.sessions.current')}</span>}
        </span>
        <span className={styles.details}>
          <bdi>{session.address}</bdi>
          <RelativeTime
            at={new Date(session.lastUsed * 1000)}
            text={(when) => t('settings.sessions.lastUsed', { when })}
          />
        </span>
      </div>
      {!session.current && (
        <Button look="danger-quiet" aria-describedby={nameId} {...ending}>
          {t('settings.sessions.end')}
        </Button>
      )}
    </li>
  )
}

function nameOf({ userAgent }: SessionInfo): string {
  const { program, system } = readUserAgent(userAgent)
  if (program !== null && system !== null) return t('settings.sessions.programOnSystem', { program, system })
  return program ?? system ?? t('settings.sessions.unknown')
}

async function endOne(session: SessionInfo): Promise<void> {
  await end(
    t('settings.sessions.end'),
    t('settings.sessions.endQuestion', { name: nameOf(session) }),
    () => endSession(session.id),
    t('settings.sessions.ended'),
  )
}

async function endOthers(): Promise<void> {
  await end(
    t('settings.sessions.endOthers'),
    t('settings.sessions.endOthersQuestion'),
    endOtherSessions,
    t('settings.sessions.othersEnded'),
  )
}

async function end(title: string, text: string, work: () => Promise<void>, done: string): Promise<void> {
  const isSure = await ask(Confirmation, { title, text, cancel: t('buttons.cancel'), confirm: title })
  if (isSure === null) return
  try {
    await work()
    toastSuccess(done)
  } catch (error) {
    showFailure(error)
  }
  await cache().invalidateQueries(sessionsQuery())
}
