import { longestShareDuration, type ShareUnit, shareUnits } from '@filestead/contract'
import { type FormEvent, useRef, useState } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import type { Entry } from '../../server/queries/resources.ts'
import type { NewShare } from '../../server/queries/shares.ts'
import { Button } from '../../ui/Button.tsx'
import { PasswordField, Select, TextField } from '../../ui/Field.tsx'
import { type Duration, describeEnd, expiryOf, isTooLong, presets } from './duration.ts'
import { EntrySummary } from './EntrySummary.tsx'
import styles from './ShareForm.module.css'

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
  const durationField = useRef<HTMLInputElement>(null)
  const tooLong = isTooLong(duration) ? t('share.tooLong', { most: longestShareDuration }) : undefined

  /** A generated password is shown: it has to be passed on. */
  function generate() {
    setPassword(makePassword())
    setIsPasswordShown(true)
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (tooLong !== undefined) return durationField.current?.focus()
    onSubmit({ password: password.trim(), expires: duration.amount, unit: duration.unit })
  }

  return (
    <form id={id} className={styles.form} noValidate onSubmit={submit}>
      <EntrySummary entry={entry} />
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
          max={longestShareDuration}
          step={1}
          autoFocus
          ref={durationField}
          error={tooLong}
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
      {tooLong === undefined && <EndHelp expire={expiryOf(duration)} />}
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

function EndHelp({ expire }: { expire: number }) {
  const { t } = useTranslation()
  const end = describeEnd(expire)
  const text = end.date === null ? t('share.endsFar', { when: end.relative }) : t('share.endsHelp', { when: end.exact })
  return <p className={styles.help}>{expire === 0 ? t('share.staysHelp') : text}</p>
}

/** Without letters and digits that look alike: it may have to be read out over the phone. */
const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

function makePassword(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(16)), (number) => letters[number % letters.length]).join('')
}
