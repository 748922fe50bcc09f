import { useTranslation } from '../i18n/i18n.ts'
import { withoutMarks } from '../i18n/placeholders.ts'
import { IconButton, Spinner } from '../ui/Button.tsx'
import type { GlyphName } from '../ui/glyphs.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Progress } from '../ui/Progress.tsx'
import styles from './ActivityRow.module.css'
import type { Activity } from './activities.ts'
import { focusContent } from './tray.ts'

const icons: Readonly<Record<Activity['kind'], GlyphName>> = {
  upload: 'upload',
  reading: 'folder',
  delete: 'trash',
  copy: 'copy-to',
  move: 'move',
}

/** One activity: what it is, how far it is, and what can be done about it. */
export function ActivityRow({ activity }: { activity: Activity }) {
  const { t } = useTranslation()
  const { title, text, progress } = activity.status.use()
  return (
    <li className={styles.row} aria-label={title}>
      {progress === null ? <Spinner /> : <Icon name={icons[activity.kind]} />}
      <div className={styles.text}>
        <div className={styles.title}>{title}</div>
        {progress !== null && (
          <div className={styles.bar}>
            <Progress label={title} value={progress * 100} text={text} />
          </div>
        )}
        <div className={styles.state}>{text}</div>
      </div>
      <div className={styles.end}>
        {activity.show !== undefined && (
          <IconButton
            icon="full"
            label={withoutMarks(t('activity.show', { title }))}
            small
            onClick={() => activity.show?.()}
          />
        )}
        <IconButton
          icon="x"
          label={withoutMarks(t('activity.stop', { title }))}
          small
          onClick={() => {
            activity.cancel()
            focusContent()
          }}
        />
      </div>
    </li>
  )
}
