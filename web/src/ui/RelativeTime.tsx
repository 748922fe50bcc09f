import { formatExact } from '../i18n/format.ts'
import { useRelativeTime } from '../i18n/relative-time.ts'

interface RelativeTimeProps {
  at: Date
  /** The sentence around it: "Last used 2 minutes ago". */
  text?: (relative: string) => string
  className?: string | undefined
}

/** "2 minutes ago", up to date for as long as it is shown. The tooltip has the day and the minute. */
export function RelativeTime({ at, text, className }: RelativeTimeProps) {
  const relative = useRelativeTime(at)
  return (
    <time className={className} dateTime={at.toISOString()} title={formatExact(at)}>
      {text?.(relative) ?? relative}
    </time>
  )
}
