import { type ShareUnit, shareUnits } from '@filestead/contract'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Entry } from '../../api/resources.ts'
import type { NewShare } from '../../api/shares.ts'
import { formatExact } from '../../i18n/format.ts'
import { Button } from '../../ui/Button.tsx'
import { PasswordField, Select, TextField } from '../../ui/Field.tsx'
import { type Duration, endOf, mostOf, presets } from './presets.ts'
import styles from './ShareForm.module.css'
import { Subject } from './Subject.tsx'

interface ShareFormProps {
  id: string
  entry: Entry
  onSubmit: (terms: NewShare) => void
}

export function ShareForm({ id, entry, onSubmit }: ShareFormProps) {
  const { t } = useTranslation()
  const [duration, setDuration] = useState<Duration>({ amount: 0, unit: 'hours' })
  const [password, setPassword] = useState('')
  const [isPasswordShown, setIsPasswordShown] = useState(false)
  const end = endOf(duration)

  /** A password that nobody chose has to be read to be passed on. */
  function generate() {
    setPassword(makePassword())
    setIsPasswordShown(true)
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    onSubmit({ password: password.trim(), expires: duration.amount, unit: duration.unit })
  }

  return (
    <form id={id} className={styles.form} onSubmit={submit}>
      <Subject entry={entry} />
      <fieldset className={styles.presets}>
        <legend className={styles.legend}>{t('share.expires')}</legend>
        {presets.map((preset) => (
          <button
            key={preset.id}
            type="button"
            className={styles.preset}
            aria-pressed={duration.amount === preset.amount && (preset.amount === 0 || duration.unit === preset.unit)}
            onClick={() => setDuration({ amount: preset.amount, unit: preset.unit })}
          >
            {t(preset.label)}
          </button>
        ))}
      </fieldset>
      <div className={styles.two}>
        <TextField
          label={t('share.duration')}
          type="number"
          inputMode="numeric"
          min={0}
          max={mostOf(duration.unit)}
          step={1}
          autoFocus
          value={String(duration.amount)}
          onChange={(event) =>
            setDuration({ ...duration, amount: Math.max(0, Math.floor(event.target.valueAsNumber || 0)) })
          }
        />
        <Select
          label={t('share.unit')}
          value={duration.unit}
          options={shareUnits.map((unit) => ({ value: unit, label: t(`share.${unit}`) }))}
          onChange={(event) => setDuration({ ...duration, unit: event.target.value as ShareUnit })}
        />
      </div>
      <p className={styles.help}>
        {end === null ? t('share.staysHelp') : t('share.endsHelp', { when: formatExact(end) })}
      </p>
      <div className={styles.password}>
        <PasswordField
          label={t('share.password')}
          showLabel={t('buttons.showPassword')}
          capsLockLabel={t('frame.capsLock')}
          autoComplete="new-password"
          isShown={isPasswordShown}
          onShow={setIsPasswordShown}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <Button look="line" icon="bolt" onClick={generate}>
          {t('share.generate')}
        </Button>
      </div>
    </form>
  )
}

/** Without letters and digits that look alike: it may have to be read out over the phone. */
const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

function makePassword(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(16)), (number) => letters[number % letters.length]).join('')
}
