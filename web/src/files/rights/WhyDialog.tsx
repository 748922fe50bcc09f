import type { Grant } from '@filestead/contract'
import { useState } from 'react'
import type { QuestionProps } from '../../dialogs/ask.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { choicesOfSubjects } from './choices.ts'
import styles from './GrantDialog.module.css'
import { PeoplePicker } from './PeoplePicker.tsx'
import { nameOfPlace, type Place } from './places.ts'
import type { RightsData } from './rights-data.ts'
import { WhyText } from './WhyText.tsx'

interface WhyQuestion {
  data: RightsData
  place: Place
  /** The person that it begins with. */
  person?: Pick<Grant, 'subject' | 'name'>
}

/** What a person can do in a folder in the end, and what decides it. */
export function WhyDialog({ data, place, person, answer }: QuestionProps<WhyQuestion, never>) {
  const { t } = useTranslation()
  // Groups have no rights in the end: their members do.
  const choices = choicesOfSubjects(data.users, data.groups).filter(({ key }) => /^(user:|guest)/.test(key))
  const [chosen, setChosen] = useState(choices.find(({ key }) => key === person?.subject) ?? null)
  return (
    <Dialog
      title={t('rights.whyTitle')}
      onClose={() => answer(null)}
      actions={
        <Button look="primary" onClick={() => answer(null)}>
          {t('buttons.close')}
        </Button>
      }
    >
      <p className={styles.folder}>
        <Icon name="folder" />
        <bdi dir="ltr">{nameOfPlace(place, data.mounts)}</bdi>
      </p>
      <PeoplePicker label={t('rights.person')} choices={choices} value={chosen} onPick={setChosen} />
      {/* The list of people hangs over this room. */}
      <div className={styles.answer}>
        {chosen === null ? (
          <p className={styles.note}>{t('rights.personText')}</p>
        ) : (
          <WhyText subject={chosen.key} place={place} />
        )}
      </div>
    </Dialog>
  )
}
