import type { Right } from '@filestead/contract'
import { useId, useState } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { Checkbox } from '../../ui/Tick.tsx'
import { allRights, presetOf, presets, toggled } from './presets.ts'
import styles from './RightsField.module.css'

interface RightsFieldProps {
  value: readonly Right[]
  onChange: (rights: readonly Right[]) => void
}

/** A set of rights by its name, each with a line that says what it is good for; or the six rights one by one. */
export function RightsField({ value, onChange }: RightsFieldProps) {
  const { t } = useTranslation()
  const group = useId()
  const preset = presetOf(value)
  const [isCustom, setIsCustom] = useState(preset === null)

  function choose(rights: readonly Right[]) {
    setIsCustom(false)
    onChange(rights)
  }

  return (
    <fieldset className={styles.field}>
      <legend>{t('rights.choose')}</legend>
      <div role="radiogroup" aria-label={t('rights.choose')} className={styles.choices}>
        {presets.map(({ name, rights }) => (
          <Choice
            key={name}
            group={group}
            label={t(`rights.presets.${name}`)}
            help={t(`rights.presetHelp.${name}`)}
            isChosen={!isCustom && preset === name}
            onChoose={() => choose(rights)}
          />
        ))}
        <Choice
          group={group}
          label={t('rights.presets.custom')}
          help={t('rights.presetHelp.custom')}
          isChosen={isCustom}
          onChoose={() => setIsCustom(true)}
        />
      </div>
      {isCustom && (
        <fieldset className={styles.rights} aria-label={t('rights.presets.custom')}>
          {allRights.map((right) => (
            <Checkbox
              key={right}
              label={t(`rights.names.${right}`)}
              help={t(`rights.nameHelp.${right}`)}
              checked={value.includes(right)}
              onChange={({ target }) => onChange(toggled(value, right, target.checked))}
            />
          ))}
        </fieldset>
      )}
    </fieldset>
  )
}

interface ChoiceProps {
  group: string
  label: string
  help: string
  isChosen: boolean
  onChoose: () => void
}

function Choice({ group, label, help, isChosen, onChoose }: ChoiceProps) {
  const id = useId()
  return (
    <label className={styles.choice}>
      <input
        type="radio"
        name={group}
        aria-label={label}
        aria-describedby={id}
        checked={isChosen}
        onChange={onChoose}
      />
      <span>
        {label}
        <small id={id}>{help}</small>
      </span>
    </label>
  )
}
