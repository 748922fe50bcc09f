import type { Mount } from '@filestead/contract'
import { useState } from 'react'
import { focusContent } from '../../activity/tray.ts'
import { showFailure } from '../../dialogs/show-failure.ts'
import { t as say, useTranslation } from '../../i18n/i18n.ts'
import { Link } from '../../navigation/Link.tsx'
import { updateMount } from '../../server/queries/mounts.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { toastSuccess } from '../../ui/toasts.ts'
import styles from './KeepQuestion.module.css'

/** Asked once, of administrators: until then nothing is kept in these root folders. Both answers are stored. */
export function KeepQuestion({ mounts }: { mounts: readonly Mount[] }) {
  const { t } = useTranslation()
  const [isBusy, setIsBusy] = useState(false)
  const [first, ...others] = mounts

  async function answer(isKept: boolean) {
    setIsBusy(true)
    try {
      for (const { id, name, links = 'inside', readOnly } of mounts) {
        const history = { trash: isKept ? 'on' : 'off', versions: isKept } as const
        await updateMount(id, { name, folder: '', links, readOnly, history })
      }
      toastSuccess(say(isKept ? 'history.keep.kept' : 'history.keep.notKept'))
      // The buttons go away.
      focusContent()
    } catch (error) {
      showFailure(error)
    } finally {
      setIsBusy(false)
    }
  }

  return (
    <section aria-label={t('history.keep.question')} className={styles.card}>
      <Icon name="trash" small />
      <p className={styles.text}>
        <b>{t('history.keep.question')}</b>
        <span>{t('history.keep.text')}</span>
      </p>
      <div className={styles.answers}>
        <Link
          to={others.length === 0 ? `/settings/mounts/${first?.id}` : '/settings/mounts'}
          className={styles.settings}
        >
          {t('history.keep.settings')}
        </Link>
        <Button look="line" size="small" disabled={isBusy} onClick={() => void answer(false)}>
          {t('history.keep.no')}
        </Button>
        <Button look="primary" size="small" isBusy={isBusy} onClick={() => void answer(true)}>
          {t('history.keep.yes')}
        </Button>
      </div>
    </section>
  )
}
