import { useState } from 'react'
import type { QuestionProps } from '../../../dialogs/ask.ts'
import { QuestionDialog } from '../../../dialogs/QuestionDialog.tsx'
import { useTranslation } from '../../../i18n/i18n.ts'
import { Button } from '../../../ui/Button.tsx'
import type { GlyphName } from '../../../ui/glyphs.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { NamedText } from '../../../ui/NamedText.tsx'
import type { ConflictQuestion } from './ask-about-conflicts.ts'
import styles from './ConflictDialog.module.css'
import { ConflictNotes } from './ConflictNotes.tsx'
import { EachConflict } from './EachConflict.tsx'
import { type Decided, decide, type Plan } from './plan.ts'

/** One answer for all conflicts; a second step compares the files and decides for each. */
export function ConflictDialog({ answer, ...question }: QuestionProps<ConflictQuestion, Decided>) {
  const { t } = useTranslation()
  const [isEach, setIsEach] = useState(false)
  if (isEach) return <EachConflict {...question} answer={answer} />
  const { conflicts, kind } = question
  const keepBoth = t('conflict.keepBoth')
  const isRestore = kind === 'restore'
  /** What is said of it: of something that comes back other words than of something new. */
  const say = (name: 'replaceAllText' | 'renameAllText' | 'skipAllText') =>
    isRestore ? t(`conflict.restore.${name}`) : t(`conflict.${name}`)
  const lead = (): string => {
    const [path, count] = [conflicts[0]?.path, conflicts.length]
    if (count === 1) return isRestore ? t('conflict.restore.leadOne', { path }) : t('conflict.leadOne', { path })
    return isRestore ? t('conflict.restore.lead', { count }) : t('conflict.lead', { count })
  }
  const settle = (plan: Plan) => answer({ decisions: decide(conflicts, plan), plan })
  return (
    <QuestionDialog title={t('conflict.title')} width="wide" answer={answer}>
      <p className={styles.lead}>{lead()}</p>
      <ConflictNotes {...question} />
      <div className={styles.choices} data-even={kind === 'transfer'}>
        <Choice
          icon="copy"
          name={t('conflict.replaceAll')}
          shown={t('conflict.replace')}
          text={say('replaceAllText')}
          onChoose={() => settle('replace')}
        />
        {kind !== 'retry' && (
          <Choice
            icon="rename"
            name={kind === 'upload' ? keepBoth : t('conflict.renameAll')}
            shown={keepBoth}
            text={say('renameAllText')}
            onChoose={() => settle('rename')}
          />
        )}
        <Choice
          icon="skip-fwd"
          name={t('conflict.skipAll')}
          shown={t('conflict.skip')}
          text={say('skipAllText')}
          isFirst
          onChoose={() => settle('skip')}
        />
        {kind === 'transfer' && (
          <Choice
            icon="clock"
            name={t('conflict.newerAll')}
            shown={t('conflict.onlyNewer')}
            text={t('conflict.newerAllText')}
            onChoose={() => settle('newer')}
          />
        )}
      </div>
      <div className={styles.others}>
        <Button look="link" aria-description={t('conflict.eachText')} onClick={() => setIsEach(true)}>
          <NamedText name={t('conflict.each')} shown={t('conflict.chooseEach')} />
        </Button>
        {!isRestore && (
          <Button
            look="link"
            aria-description={t('conflict.resumeText')}
            title={t('conflict.resumeText')}
            onClick={() => settle('resume')}
          >
            {t('conflict.resume')}
          </Button>
        )}
      </div>
    </QuestionDialog>
  )
}

interface ChoiceProps {
  icon: GlyphName
  /** The accessible name, which says more than the word on the button. */
  name: string
  shown: string
  text: string
  /** Enter chooses it: the one that overwrites nothing. */
  isFirst?: boolean
  onChoose: () => void
}

const Choice = ({ icon, name, shown, text, isFirst = false, onChoose }: ChoiceProps) => (
  <button
    type="button"
    className={styles.choice}
    aria-description={text}
    data-autofocus={isFirst ? '' : undefined}
    data-first={isFirst}
    onClick={onChoose}
  >
    <Icon name={icon} />
    <b>
      <NamedText name={name} shown={shown} />
    </b>
    {/* Said as the description; as part of the name it would be said twice. */}
    <small aria-hidden="true">{text}</small>
  </button>
)
