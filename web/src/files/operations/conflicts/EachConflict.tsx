import { useState } from 'react'
import type { QuestionProps } from '../../../dialogs/ask.ts'
import { QuestionDialog } from '../../../dialogs/QuestionDialog.tsx'
import { useTranslation } from '../../../i18n/i18n.ts'
import { Button } from '../../../ui/Button.tsx'
import type { ConflictQuestion } from './ConflictDialog.tsx'
import type { Decision, TransferKind } from './conflicts.ts'
import styles from './EachConflict.module.css'
import { OneConflict } from './OneConflict.tsx'
import { cautious } from './plan.ts'

/** So many are shown at first, and with each "Show more". */
const step = 50

/** The second step: two sides of every conflict next to each other, and a choice for each. */
export function EachConflict({ conflicts, kind, answer }: QuestionProps<ConflictQuestion, Decision[]>) {
  const { t } = useTranslation()
  const [decisions, setDecisions] = useState<Decision[]>(() => conflicts.map((conflict) => cautious(conflict, kind)))
  const [shown, setShown] = useState(step)
  const choices = choicesOf(kind)
  const hidden = conflicts.length - shown

  return (
    <QuestionDialog
      title={t('conflict.eachTitle')}
      width="table"
      answer={answer}
      actions={
        <Button look="primary" data-autofocus="" onClick={() => answer(decisions)}>
          {t('buttons.ok')}
        </Button>
      }
    >
      {conflicts.length > 1 && (
        <fieldset className={styles.all} aria-label={t('conflict.applyToAll')}>
          <span>{t('conflict.applyToAll')}</span>
          <span className={styles.segments}>
            {choices.map(({ decision, label }) => (
              <button
                key={decision}
                type="button"
                aria-pressed={decisions.every((one) => one === decision)}
                onClick={() => setDecisions(conflicts.map(() => decision))}
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
          <span>{t(kind === 'transfer' ? 'conflict.origin' : 'conflict.uploading')}</span>
          <span>{t('conflict.destination')}</span>
          <span />
        </div>
        {conflicts.slice(0, shown).map((conflict, index) => (
          <OneConflict
            key={conflict.path}
            conflict={conflict}
            kind={kind}
            choices={choices}
            decision={decisions[index] ?? 'skip'}
            onDecide={(decision) => setDecisions(decisions.with(index, decision))}
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

export interface Choice {
  decision: Decision
  label: 'conflict.replace' | 'conflict.keepBoth' | 'conflict.skip'
}

const all: readonly Choice[] = [
  { decision: 'overwrite', label: 'conflict.replace' },
  { decision: 'rename', label: 'conflict.keepBoth' },
  { decision: 'skip', label: 'conflict.skip' },
]

const choicesOf = (kind: TransferKind): readonly Choice[] =>
  kind === 'retry' ? all.filter(({ decision }) => decision !== 'rename') : all
