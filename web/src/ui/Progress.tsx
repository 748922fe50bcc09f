import styles from './Progress.module.css'

interface ProgressProps {
  label: string
  /** From 0 to 100. */
  value: number
  /** Said instead of the percentage. */
  text?: string
  isFailed?: boolean
}

export function Progress({ label, value, text, isFailed = false }: ProgressProps) {
  return (
    <div
      className={styles.track}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(value)}
      aria-valuetext={text}
      data-failed={isFailed}
    >
      <div className={styles.bar} style={{ inlineSize: `${Math.min(100, Math.max(0, value))}%` }} />
    </div>
  )
}
