import type { Operation } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Activity } from '../../activity/activities.ts'
import { TrayList } from '../../activity/TrayList.tsx'
import { describeFailure, showFailure } from '../../dialogs/show-failure.ts'
import { t, useTranslation } from '../../i18n/i18n.ts'
import { withoutMarks } from '../../i18n/placeholders.ts'
import { operationsQuery } from '../../server/queries/operations.ts'
import { Button } from '../../ui/Button.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { undoing } from '../operations/undo.ts'
import { undoListed } from '../operations/undo-change.ts'
import styles from './RecentChanges.module.css'

/** What the person did in the last day, from whichever device, the newest first. What cannot be taken back says why. */
export function RecentChanges({ activity }: { activity: Activity }) {
  const { t } = useTranslation()
  const { data, error, refetch } = useQuery(operationsQuery())
  return (
    <TrayList title={t('trash.recent')} closeLabel={t('trash.closeRecent')} activity={activity}>
      <ul className={styles.rows}>
        {data?.map((operation) => (
          <Change key={operation.id} operation={operation} />
        ))}
      </ul>
      {error !== null && data === undefined && (
        <div className={styles.failed} role="alert">
          <p>{describeFailure(error)}</p>
          <Button look="line" size="small" icon="retry" onClick={() => void refetch()}>
            {t('buttons.tryAgain')}
          </Button>
        </div>
      )}
      {data?.length === 0 && <p className={styles.nothing}>{t('trash.noRecent')}</p>}
    </TrayList>
  )
}

function Change({ operation }: { operation: Operation }) {
  const { t } = useTranslation()
  const [isUndoing, setIsUndoing] = useState(false)
  const { kind, canUndo, why, at } = operation
  const what = describe(operation)
  const isUndo = kind === 'undo'
  const reason = why === undefined ? undefined : t(`trash.why.${why}`)

  async function undo(): Promise<void> {
    setIsUndoing(true)
    await undoing
      .add(() => undoListed(operation))
      .catch(showFailure)
      .finally(() => setIsUndoing(false))
  }

  return (
    <li className={styles.row}>
      <span className={styles.what}>
        <bdi title={operation.names.join(', ')}>{what}</bdi>
        <RelativeTime at={new Date(at)} className={styles.time} />
        {!canUndo && reason !== undefined && <span className={styles.why}>{reason}</span>}
      </span>
      <Button
        size="small"
        look="line"
        disabled={!canUndo || isUndoing}
        aria-label={withoutMarks(
          isUndo ? t('trash.redoNamed', { what: undoneOf(operation) }) : t('trash.undoNamed', { what }),
        )}
        aria-description={canUndo ? undefined : reason}
        title={canUndo ? undefined : reason}
        onClick={() => void undo()}
      >
        {t(isUndo ? 'change.redo' : 'change.undo')}
      </Button>
    </li>
  )
}

const words = {
  save: 'save',
  create: 'create',
  'create-folder': 'create',
  upload: 'upload',
  copy: 'copy',
  move: 'move',
  extract: 'extract',
  remove: 'remove',
  restore: 'restore',
} as const

/** "Moved 3 items"; of an undo "Undid: Moved 3 items". */
function describe(operation: Operation): string {
  return operation.kind === 'undo'
    ? t('trash.did.undid', { what: undoneOf(operation) })
    : said(operation.kind, operation)
}

const undoneOf = (operation: Operation): string =>
  said(operation.undid === undefined || operation.undid === 'undo' ? 'move' : operation.undid, operation)

function said(done: keyof typeof words, { kind, names: [name = ''], count, renamedTo }: Operation): string {
  // An undo gives back the old name: what it took back had given the new one.
  const [from = '', to = ''] = kind === 'undo' ? [renamedTo, name] : [name, renamedTo]
  if (renamedTo !== undefined && count === 1) return t('trash.did.renameOne', { from, to })
  const word = renamedTo === undefined ? words[done] : 'rename'
  return count === 1 ? t(`trash.did.${word}One`, { name }) : t(`trash.did.${word}`, { count })
}
