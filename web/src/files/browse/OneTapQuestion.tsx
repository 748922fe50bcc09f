import { useEffect } from 'react'
import { focusContent } from '../../activity/tray.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { addressOf } from '../../navigation/addresses.ts'
import { navigate } from '../../navigation/location.ts'
import { Button } from '../../ui/Button.tsx'
import { announce } from '../../ui/live-status.ts'
import { clearSelection, workspace } from '../../workspace/workspace.ts'
import styles from './OneTapQuestion.module.css'
import { asked, chooseOneTap } from './one-tap.ts'

/** Asked once on a device, beside what the first tap has selected. "View options" changes the answer. */
export function OneTapQuestion() {
  const { t } = useTranslation()
  const question = t('touch.question')
  useEffect(() => announce(question), [question])
  // The buttons go away.
  function answer(choose: () => void) {
    focusContent()
    choose()
  }
  return (
    <section aria-label={question} className={styles.card}>
      <p className={styles.text}>
        <b>{question}</b>
        <span>{t('touch.longPress')}</span>
      </p>
      <div className={styles.answers}>
        <Button onClick={() => answer(() => chooseOneTap(false))}>{t('touch.keep')}</Button>
        <Button look="primary" onClick={() => answer(accept)}>
          {t('touch.yes')}
        </Button>
      </div>
    </section>
  )
}

/** From now on a tap opens; so does the one that has raised the question, unless more was selected since. */
function accept(): void {
  const tapped = asked.get()
  const { chosen, isSelectingMany } = workspace()
  const [only, ...others] = chosen
  chooseOneTap(true)
  if (only === undefined || others.length > 0 || only.path !== tapped?.path || isSelectingMany) return
  clearSelection()
  void navigate(addressOf(only))
}
