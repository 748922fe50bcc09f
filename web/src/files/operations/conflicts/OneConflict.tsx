import { useId } from 'react'
import { formatExact, formatSize } from '../../../i18n/format.ts'
import { useTranslation } from '../../../i18n/i18n.ts'
import { Icon } from '../../../ui/Icon.tsx'
import type { Conflict, Decision, Side, TransferKind } from './conflicts.ts'
import styles from './EachConflict.module.css'
import type { Choice } from './EachConflict.tsx'
import { hintAbout } from './plan.ts'

interface OneConflictProps {
  conflict: Conflict
  kind: TransferKind
  choices: readonly Choice[]
  decision: Decision
  onDecide: (decision: Decision) => void
}

export function OneConflict({ conflict, kind, choices, decision, onDecide }: OneConflictProps) {
  const { t } = useTranslation()
  const name = useId()
  const { path, isDir, origin, destination } = conflict
  return (
    <div role="radiogroup" aria-label={path} className={styles.conflict}>
      <b className={styles.path}>
        <Icon name={isDir ? 'folder' : 'file'} />
        <bdi>{path}</bdi>
      </b>
      <div className={styles.sides}>
        <OneSide
          label={t(kind === 'transfer' ? 'conflict.origin' : 'conflict.uploading')}
          side={origin}
          other={destination}
          isDir={isDir}
        />
        <OneSide label={t('conflict.destination')} side={destination} other={origin} isDir={isDir} />
      </div>
      <div className={styles.radios}>
        {choices.map((choice) => (
          <label key={choice.decision}>
            <input
              type="radio"
              name={name}
              checked={decision === choice.decision}
              onChange={() => onDecide(choice.decision)}
            />
            {t(choice.label)}
          </label>
        ))}
      </div>
    </div>
  )
}

function OneSide({ label, side, other, isDir }: { label: string; side: Side; other: Side; isDir: boolean }) {
  const { t } = useTranslation()
  const hint = isDir ? null : hintAbout(side, other)
  const size = side.size === null ? t('conflict.unknownSize') : formatSize(side.size)
  return (
    <div className={styles.side}>
      <span className={styles.label}>{label}</span>
      <bdi>{side.modified === null ? t('conflict.unknownDate') : formatExact(new Date(side.modified))}</bdi>
      <bdi className={styles.size}>{isDir ? t('conflict.folder') : size}</bdi>
      {hint !== null && (
        <span className={styles.hint} data-hint={hint}>
          {t(`conflict.${hint}`)}
        </span>
      )}
    </div>
  )
}
