import { useState } from 'react'
import type { QuestionProps } from '../../../dialogs/ask.ts'
import { QuestionDialog } from '../../../dialogs/QuestionDialog.tsx'
import { useTranslation } from '../../../i18n/i18n.ts'
import type { GlyphName } from '../../../ui/glyphs.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import styles from './ConflictDialog.module.css'
import type { Conflict, Decision, TransferKind } from './conflicts.ts'
import { EachConflict } from './EachConflict.tsx'
import { decide } from './plan.ts'

export type ConflictQuestion = { conflicts: readonly Conflict[]; kind: TransferKind }

/** One answer for all conflicts; a second step compares the files and decides for each. */
export function ConflictDialog({ conflicts, kind, answer }: QuestionProps<ConflictQuestion, Decision[]>) {
  const { t } = useTranslation()
  const [isEach, setIsEach] = useState(false)
  if (isEach) return <EachConflict conflicts={conflicts} kind={kind} answer={answer} />

  return (
    <QuestionDialog title={t('conflict.title')} answer={answer}>
      <p className={styles.lead}>
        {conflicts.length === 1
          ? t('conflict.leadOne', { path: conflicts[0]?.path })
          : t('conflict.lead', { count: conflicts.length })}
      </p>
      <div className={styles.choices}>
        <Choice
          icon="copy"
          label={t('conflict.replaceAll')}
          text={t('conflict.replaceAllText')}
          onChoose={() => answer(decide(conflicts, 'replace'))}
        />
        {kind === 'transfer' && (
          <Choice
            icon="rename"
            label={t('conflict.renameAll')}
            text={t('conflict.renameAllText')}
            onChoose={() => answer(decide(conflicts, 'rename'))}
          />
        )}
        <Choice
          icon="skip-fwd"
          label={t('conflict.skipAll')}
          text={t('conflict.skipAllText')}
          isFirst
          onChoose={() => answer(decide(conflicts, 'skip'))}
        />
        <Choice
          icon="retry"
          label={t('conflict.resume')}
          text={t('conflict.resumeText')}
          onChoose={() => answer(decide(conflicts, 'resume'))}
        />
        <Choice
          icon="sliders"
          label={t('conflict.each')}
          text={t('conflict.eachText')}
          onChoose={() => setIsEach(true)}
        />
      </div>
    </QuestionDialog>
  )
}

interface ChoiceProps {
  icon: GlyphName
  label: string
  text: string
  /** Enter chooses it: the one that overwrites nothing. */
  isFirst?: boolean
  onChoose: () => void
}

const Choice = ({ icon, label, text, isFirst = false, onChoose }: ChoiceProps) => (
  <button
    type="button"
    className={styles.choice}
    aria-description={text}
    data-autofocus={isFirst ? '' : undefined}
    onClick={onChoose}
  >
    <Icon name={icon} />
    <span className={styles.words}>
      <b>{label}</b>
      {/* Said as the description; as part of the name it would be said twice. */}
      <small aria-hidden="true">{text}</small>
    </span>
    <Icon name="chevron-right" small />
  </button>
)
