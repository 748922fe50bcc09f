import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { focusContent } from '../activity/tray.ts'
import { WhenReachable } from '../errors/ErrorBoundary.tsx'
import { useTranslation } from '../i18n/i18n.ts'
import { ApiError } from '../server/client.ts'
import { useWhenReachable } from '../server/connection.ts'
import { piecesRead } from '../server/listing-stream.ts'
import { cache } from '../server/queries/cache.ts'
import { resourceKey } from '../server/queries/resources.ts'
import { useAfterAWhile } from '../ui/after-a-while.ts'
import { Button } from '../ui/Button.tsx'
import { announce } from '../ui/live-status.ts'
import styles from './AnswerNotes.module.css'

/** 0 where there was no answer. */
export const statusOf = (error: Error): number => (error instanceof ApiError ? error.status : 500)

/** Below a listing that could not be read again, and stays as it was. */
export function Outdated({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const { t } = useTranslation()
  useWhenReachable(statusOf(error) === 0, onRetry)
  return <Note text={t('errors.outdated')} onRetry={onRetry} />
}

/** How long the server may take to answer, or to go on with its answer, before the page says so, in milliseconds. */
const lateAfter = 6000

/** Mounted while an answer is waited for. A connection that died without a word leaves a request open for minutes. */
export function Late({ path, onRetry }: { path: string; onRetry: () => void }) {
  const { t } = useTranslation()
  const [tries, setTries] = useState(0)
  const pieces = piecesRead.use()
  async function retry() {
    setTries(tries + 1)
    // A query without an answer yet would join the request that hangs instead of sending another one.
    await cache().cancelQueries({ queryKey: resourceKey(path), exact: true })
    onRetry()
  }
  return (
    <AfterAWhile key={`${tries} ${pieces}`} milliseconds={lateAfter}>
      <WhenReachable onReachable={() => void retry()} />
      <Note text={t('errors.late')} onRetry={() => void retry()} />
    </AfterAWhile>
  )
}

const AfterAWhile = ({ milliseconds, children }: { milliseconds: number; children: ReactNode }) =>
  useAfterAWhile(milliseconds) ? children : null

/** Below the view, which stays usable. */
function Note({ text, onRetry }: { text: string; onRetry: () => void }) {
  const { t } = useTranslation()
  const note = useRef<HTMLElement>(null)
  useEffect(() => announce(text), [text])
  // It goes away by itself, too, and its button may have the focus.
  useLayoutEffect(() => {
    const own = note.current
    return () => {
      if (own?.contains(document.activeElement)) focusContent()
    }
  }, [])
  return (
    <aside ref={note} className={styles.note}>
      <p>{text}</p>
      <Button look="line" icon="retry" onClick={onRetry}>
        {t('buttons.tryAgain')}
      </Button>
    </aside>
  )
}
