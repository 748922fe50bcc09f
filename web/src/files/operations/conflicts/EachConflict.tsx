import { useState } from 'react'
import type { QuestionProps } from '../../../dialogs/ask.ts'
import { QuestionDialog } from '../../../dialogs/QuestionDialog.tsx'
import { useTranslation } from '../../../i18n/i18n.ts'
import { Button } from '../../../ui/Button.tsx'
import type { ConflictQuestion } from './ask-about-conflicts.ts'
import { ConflictNotes } from './ConflictNotes.tsx'
import { type Conflict, type Decision, originLabels, type TransferKind } from './conflicts.ts'
import styles from './EachConflict.module.css'
import { OneConflict } from './OneConflict.tsx'
import { cautious, type Decided, decidedAt, decisionForAll, openOnes } from './plan.ts'

/** So many are shown at first, and with each "Show more". */
const step = 50

/** The second step: two sides of every conflict next to each other, and a choice for each. */
export function EachConflict({ answer, ...question }: QuestionProps<ConflictQuestion, Decided>) {
  const { t } = useTranslation()
  const { conflicts, kind } = question
  const [decisions, setDecisions] = useState<Decision[]>(() => conflicts.map((conflict) => cautious(conflict, kind)))
  const [shown, setShown] = useState(step)
  const choices = choicesOf(kind)
  const open = openOnes(conflicts, decisions)
  const indices = [...conflicts.keys()].filter((index) => open[index])
  const hidden = indices.length - shown

  const isForAll = (decision: Decision): boolean =>
    indices.every((index) => {
      const conflict = conflicts[index]
      return conflict !== undefined && decisions[index] === decisionForAll(conflict, decision)
    })

  return (
    <QuestionDialog
      title={t('conflict.eachTitle')}
      width="table"
      answer={answer}
      actions={
        <Button look="primary" data-autofocus="" onClick={() => answer({ decisions, plan: null })}>
          {t('buttons.ok')}
        </Button>
      }
    >
      <ConflictNotes {...question} />
      {conflicts.length > 1 && (
        <fieldset className={styles.all} aria-label={t('conflict.applyToAll')}>
          <span>{t('conflict.applyToAll')}</span>
          <span className={styles.segments}>
            {choices.map(({ decision, label }) => (
              <button
                key={decision}
                type="button"
                aria-pressed={isForAll(decision)}
                onClick={() => setDecisions(conflicts.map((one) => decisionForAll(one, decision)))}
              >
                {t(label)}
              </button>
            ))}
          </span>
        </fieldset>
      )}
      <div className={styles.table}>
        <div className={styles.heads} aria-hidden="true">
          <span />
          <span>{t(originLabels[kind])}</span>
          <span>{t('conflict.destination')}</span>
          <span />
        </div>
        {indices.slice(0, shown).map((index) => (
          <ConflictAt
            key={index}
            conflict={conflicts[index]}
            kind={kind}
            decision={decisions[index] ?? 'skip'}
            onDecide={(decision) => setDecisions(decidedAt(conflicts, decisions, index, decision))}
          />
        ))}
      </div>
      {hidden > 0 && (
        <Button look="line" onClick={() => setShown(shown + step)}>
          {t('conflict.showMore', { count: Math.min(hidden, step) })}
        </Button>
      )}
    </QuestionDialog>
  )
}

function ConflictAt({
  conflict,
  ...rest
}: {
  conflict: Conflict | undefined
  kind: TransferKind
  decision: Decision
  onDecide: (decision: Decision) => void
}) {
  if (conflict === undefined) return null
  // For a file it is told by its time already.
  const choices = choicesOf(rest.kind).filter(({ decision }) => decision !== 'newer' || conflict.isMerge)
  return <OneConflict conflict={conflict} choices={choices} {...rest} />
}

export interface Choice {
  decision: Decision
  label: 'conflict.replace' | 'conflict.keepBoth' | 'conflict.skip' | 'conflict.onlyNewer'
}

const all: readonly Choice[] = [
  { decision: 'overwrite', label: 'conflict.replace' },
  { decision: 'rename', label: 'conflict.keepBoth' },
  { decision: 'skip', label: 'conflict.skip' },
  { decision: 'newer', label: 'conflict.onlyNewer' },
]

const choicesOf = (kind: TransferKind): readonly Choice[] =>
  all.filter(({ decision }) => (decision === 'newer' ? kind === 'transfer' : decision !== 'rename' || kind !== 'retry'))
