import { longestShareDuration, longestShareLabel, type ShareUnit, shareUnits } from '@filestead/contract'
import { type FormEvent, useRef } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import type { NewShare } from '../../server/queries/shares.ts'
import { Button } from '../../ui/Button.tsx'
import { PasswordField, TextField } from '../../ui/Field.tsx'
import { generatePassword } from '../../ui/generated-password.ts'
import { Select } from '../../ui/Select.tsx'
import { type Duration, describeEnd, expiryOf, isTooLong, presets } from './duration.ts'
import styles from './ShareForm.module.css'

/** What a new link will be like, as far as it is filled in. */
export interface Draft {
  duration: Duration
  /** The duration is none of the usual ones: its fields are in view. */
  isCustom: boolean
  password: string
  isPasswordShown: boolean
  label: string
}

export const emptyDraft: Draft = {
  duration: { amount: 0, unit: 'hours' },
  isCustom: false,
  password: '',
  isPasswordShown: false,
  label: '',
}

interface ShareFormProps {
  id: string
  draft: Draft
  onChange: (draft: Draft) => void
  onSubmit: (terms: NewShare) => void
}

export function ShareForm({ id, draft, onChange, onSubmit }: ShareFormProps) {
  const { t } = useTranslation()
  const { duration, isCustom, password, isPasswordShown, label } = draft
  const durationField = useRef<HTMLInputElement>(null)
  const tooLong = isTooLong(duration) ? t('share.tooLong', { most: longestShareDuration }) : undefined
  const change = (changes: Partial<Draft>) => onChange({ ...draft, ...changes })
  const chooseOwn = (changes: Partial<Duration> = {}) =>
    change({ duration: { ...duration, ...changes }, isCustom: true })

  const unfolding = isCustom ? {} : { tabIndex: -1, onFocus: () => chooseOwn() }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (tooLong !== undefined) return durationField.current?.focus()
    onSubmit({ password: password.trim(), expires: duration.amount, unit: duration.unit, label: label.trim() })
  }

  return (
    <form id={id} className={styles.form} noValidate onSubmit={submit}>
      <fieldset className={styles.presets}>
        <legend className={styles.legend}>{t('share.expires')}</legend>
        {presets.map((preset) => (
          <button
            key={preset.id}
            type="button"
            className={styles.preset}
            aria-pressed={
              !isCustom && duration.amount === preset.amount && (preset.amount === 0 || duration.unit === preset.unit)
            }
            onClick={() => change({ duration: { amount: preset.amount, unit: preset.unit }, isCustom: false })}
          >
            {t(preset.label)}
          </button>
        ))}
        <button
          type="button"
          className={styles.preset}
          aria-pressed={isCustom}
          onClick={() => {
            durationField.current?.focus()
            durationField.current?.select()
          }}
        >
          {t('share.custom')}
        </button>
      </fieldset>
      {/* Folded, they are out of view and of the Tab order. The focus unfolds them. */}
      <div className={isCustom ? styles.own : styles.folded}>
        <div className={styles.two}>
          <TextField
            label={t('share.duration')}
            type="number"
            inputMode="numeric"
            min={0}
            max={longestShareDuration}
            step={1}
            {...unfolding}
            ref={durationField}
            error={tooLong}
            value={String(duration.amount)}
            onChange={({ target }) => chooseOwn({ amount: Math.max(0, Math.floor(target.valueAsNumber || 0)) })}
          />
          <Select
            label={t('share.unit')}
            {...unfolding}
            value={duration.unit}
            options={shareUnits.map((unit) => ({ value: unit, label: t(`share.${unit}`) }))}
            onChange={({ target }) => chooseOwn({ unit: target.value as ShareUnit })}
          />
        </div>
        {tooLong === undefined && <EndHelp expire={expiryOf(duration)} />}
      </div>
      <div className={styles.password}>
        <PasswordField
          label={t('share.password')}
          showLabel={t('buttons.showPassword')}
          capsLockLabel={t('frame.capsLock')}
          autoComplete="new-password"
          isShown={isPasswordShown}
          onShow={(isShown) => change({ isPasswordShown: isShown })}
          value={password}
          onChange={({ target }) => change({ password: target.value })}
        />
        {/* A generated password is shown: it has to be passed on. */}
        <Button look="line" icon="bolt" onClick={() => change({ password: generatePassword(), isPasswordShown: true })}>
          {t('share.generate')}
        </Button>
      </div>
      <TextField
        label={t('share.label')}
        help={t('share.labelHelp')}
        maxLength={longestShareLabel}
        value={label}
        onChange={({ target }) => change({ label: target.value })}
      />
    </form>
  )
}

function EndHelp({ expire }: { expire: number }) {
  const { t } = useTranslation()
  const end = describeEnd(expire)
  const text = end.date === null ? t('share.endsFar', { when: end.relative }) : t('share.endsHelp', { when: end.exact })
  return <p className={styles.help}>{expire === 0 ? t('share.staysHelp') : text}</p>
}
