import { useEffect, useId, useState } from 'react'
import { formatExact, formatSize } from '../../../i18n/format.ts'
import { useTranslation } from '../../../i18n/i18n.ts'
import { FileMark } from '../../../ui/Icon.tsx'
import { NamedText } from '../../../ui/NamedText.tsx'
import { markOf } from '../../marks/mark-of.ts'
import { type Conflict, type Decision, originLabels, type Side, type TransferKind } from './conflicts.ts'
import styles from './EachConflict.module.css'
import type { Choice } from './EachConflict.tsx'
import { type Hint, hintAbout } from './plan.ts'

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
  const hint = isDir ? null : hintAbout(origin, destination)
  return (
    <div role="radiogroup" aria-label={path} className={styles.conflict}>
      <b className={styles.path} title={path}>
        <bdi>{path}</bdi>
      </b>
      <OneSide label={t(originLabels[kind])} side={origin} conflict={conflict} hint={hint} />
      <OneSide
        label={t('conflict.destination')}
        side={destination}
        conflict={conflict}
        // That both are the same is said once.
        hint={isDir || hint === 'same' ? null : hintAbout(destination, origin)}
      />
      <div className={styles.radios}>
        {choices.map((choice) => (
          <label key={choice.decision}>
            <input
              type="radio"
              name={name}
              checked={decision === choice.decision}
              onChange={() => onDecide(choice.decision)}
            />
            <span>
              {/* Known by one name; folders are put together. */}
              <NamedText
                name={t(choice.label)}
                shown={t(conflict.isMerge && choice.decision === 'overwrite' ? 'conflict.merge' : choice.label)}
              />
            </span>
          </label>
        ))}
      </div>
    </div>
  )
}

interface OneSideProps {
  label: string
  side: Side
  conflict: Conflict
  hint: Hint
}

function OneSide({ label, side, conflict: { path, isDir }, hint }: OneSideProps) {
  const { t } = useTranslation()
  const size = side.size === null ? t('conflict.unknownSize') : formatSize(side.size)
  return (
    <div className={styles.side}>
      <SidePicture side={side} name={path} isDir={isDir} />
      <span className={styles.facts}>
        <span className={styles.label}>{label}</span>
        <bdi>{side.modified === null ? t('conflict.unknownDate') : formatExact(new Date(side.modified))}</bdi>
        <span className={styles.size}>
          <bdi>{isDir ? t('conflict.folder') : size}</bdi>
          {hint !== null && (
            <span className={styles.hint} data-hint={hint}>
              {t(`conflict.${hint}`)}
            </span>
          )}
        </span>
      </span>
    </div>
  )
}

/** The picture itself where it is one, else the mark of its kind. */
function SidePicture({ side: { picture }, name, isDir }: { side: Side; name: string; isDir: boolean }) {
  const address = useAddress(picture)
  const [failed, setFailed] = useState<string | null>(null)
  if (address === null || failed === address) return <FileMark name={markOf({ name, isDir })} />
  return <img src={address} alt="" loading="lazy" decoding="async" onError={() => setFailed(address)} />
}

function useAddress(picture: Side['picture']): string | null {
  const [own, setOwn] = useState<string | null>(null)
  useEffect(() => {
    if (!(picture instanceof File)) return
    const address = URL.createObjectURL(picture)
    setOwn(address)
    return () => URL.revokeObjectURL(address)
  }, [picture])
  return typeof picture === 'string' ? picture : own
}
