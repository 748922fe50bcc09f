import { useTranslation } from '../i18n/i18n.ts'
import { withoutMarks } from '../i18n/placeholders.ts'
import { IconButton, Spinner } from '../ui/Button.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Progress } from '../ui/Progress.tsx'
import type { Activity } from './activities.ts'
import { activityIcons } from './activity-icons.ts'
import { TrayRow } from './TrayRow.tsx'
import { focusContent } from './tray.ts'

/** One activity: what it is, how far it is, and what can be done about it. */
export function ActivityRow({ activity }: { activity: Activity }) {
  const { t } = useTranslation()
  const { title, text, progress } = activity.status.use()
  return (
    <TrayRow
      label={title}
      picture={progress === null ? <Spinner /> : <Icon name={activityIcons[activity.kind]} />}
      title={title}
      bar={progress !== null && <Progress label={title} value={progress * 100} text={text} />}
      state={text}
      end={
        <>
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
        </>
      }
    />
  )
}
