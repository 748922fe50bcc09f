import type { FormEvent, ReactNode } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { Button } from '../../ui/Button.tsx'
import type { Draft } from './draft.ts'
import styles from './Form.module.css'

interface FormProps {
  /** The accessible name. */
  label: string
  /** May take a while: what is wrong may be known only after it. */
  onSubmit: () => unknown
  children: ReactNode
}

/** One thing to save. Values are checked by us, because the browser's messages are in the browser's language. */
export function Form({ label, onSubmit, children }: FormProps) {
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    await onSubmit()
    // By then what is wrong is marked.
    requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
  }

  return (
    <form aria-label={label} className={`card ${styles.form}`} noValidate onSubmit={(event) => void submit(event)}>
      {children}
    </form>
  )
}

interface SectionProps {
  title: string
  text?: ReactNode
  /** A card of its own, not a part of one. */
  isCard?: boolean
  children: ReactNode
}

export function Section({ title, text, isCard = false, children }: SectionProps) {
  return (
    <section className={styles.section} data-card={isCard}>
      <header className={`card-title ${styles.sectionHead}`}>
        <h3>{title}</h3>
        {text !== undefined && <p>{text}</p>}
      </header>
      <div className={`card-content ${styles.fields}`}>{children}</div>
    </section>
  )
}

/** Two fields beside each other where there is room. */
export const Pair = ({ children }: { children: ReactNode }) => <div className={styles.pair}>{children}</div>

/** Switches, one below the other, with lines between. */
export const Switches = ({ children }: { children: ReactNode }) => <div>{children}</div>

/** The end of a form whose values are not kept, such as one for a password. */
export const SubmitRow = ({ children }: { children: ReactNode }) => (
  <div className={`card-action ${styles.submitRow}`}>{children}</div>
)

interface SaveBarProps {
  draft: Pick<Draft<object>, 'isDirty' | 'isSaving' | 'reset'>
  /** The text of the button that saves. */
  label: string
  /** Instead of the button that takes the changes back. */
  cancel?: ReactNode
}

/** The end of a form. With changes it stays in sight, wherever one scrolls. */
export function SaveBar({ draft: { isDirty, isSaving, reset }, label, cancel }: SaveBarProps) {
  const { t } = useTranslation()
  return (
    <div className={`card-action ${styles.saveBar}`} data-dirty={isDirty}>
      <span role="status" className={styles.state}>
        {isDirty && t('settings.unsavedChanges')}
      </span>
      {cancel ??
        (isDirty && (
          <Button onClick={reset} disabled={isSaving}>
            {t('settings.reset')}
          </Button>
        ))}
      <Button type="submit" look="primary" isBusy={isSaving}>
        {label}
      </Button>
    </div>
  )
}
