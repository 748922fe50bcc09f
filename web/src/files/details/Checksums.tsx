import { type ChecksumAlgorithm, checksumAlgorithms } from '@filestead/contract'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { copyLink } from '../../commands/copy-link.ts'
import { describeFailure } from '../../dialogs/show-failure.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { withoutMarks } from '../../i18n/placeholders.ts'
import { isAbort } from '../../server/client.ts'
import { readChecksum } from '../../server/queries/contents.ts'
import { Button, IconButton, Spinner } from '../../ui/Button.tsx'
import styles from './Checksums.module.css'

interface ChecksumsProps {
  path: string
  /** Read from the start, not when asked for. */
  isWanted?: boolean
}

export const Checksums = ({ path, isWanted = false }: ChecksumsProps) => (
  <div className={styles.checksums}>
    {checksumAlgorithms.map((algorithm) => (
      <Checksum key={algorithm} path={path} algorithm={algorithm} isWanted={isWanted} />
    ))}
  </div>
)

/** All of them at one click. */
export function AllChecksums({ path }: { path: string }) {
  const { t } = useTranslation()
  const [isShown, setIsShown] = useState(false)
  const name = t('info.checksums')
  return (
    <section aria-label={name} className={styles.all}>
      <header>
        <h3>{name}</h3>
        {!isShown && (
          <Button
            size="small"
            aria-label={withoutMarks(t('info.showChecksum', { name }))}
            onClick={() => setIsShown(true)}
          >
            {t('info.show')}
          </Button>
        )}
      </header>
      {isShown && <Checksums path={path} isWanted />}
    </section>
  )
}

type State =
  | { kind: 'hidden' }
  | { kind: 'reading' }
  | { kind: 'known'; value: string }
  | { kind: 'failed'; why: string }

/** The server has to read the whole file for each of them, so each is read on demand and can be stopped. */
function Checksum({ path, algorithm, isWanted }: Required<ChecksumsProps> & { algorithm: ChecksumAlgorithm }) {
  const { t } = useTranslation()
  const name = algorithm.toUpperCase()
  const [state, setState] = useState<State>({ kind: 'hidden' })
  const reading = useRef<AbortController | null>(null)
  const readFirst = useEffectEvent(() => void (isWanted && read()))
  useEffect(() => {
    readFirst()
    return () => reading.current?.abort()
  }, [])

  async function read() {
    reading.current = new AbortController()
    setState({ kind: 'reading' })
    try {
      setState({ kind: 'known', value: await readChecksum(path, algorithm, reading.current.signal) })
    } catch (error) {
      setState(isAbort(error) ? { kind: 'hidden' } : { kind: 'failed', why: describeFailure(error) })
    }
  }

  return (
    <div className={styles.line}>
      <b>{name}</b>
      <span className={styles.value} role="status">
        {state.kind === 'reading' && (
          <>
            <Spinner />
            {t('info.reading')}
          </>
        )}
        {state.kind === 'known' && (
          <code dir="ltr" data-checksum={algorithm}>
            {state.value}
          </code>
        )}
        {state.kind === 'failed' && state.why}
      </span>
      {(state.kind === 'hidden' || state.kind === 'failed') && (
        <Button size="small" aria-label={t('info.showChecksum', { name })} onClick={() => void read()}>
          {t('info.show')}
        </Button>
      )}
      {state.kind === 'reading' && (
        <Button size="small" aria-label={t('info.stopReading', { name })} onClick={() => reading.current?.abort()}>
          {t('info.stop')}
        </Button>
      )}
      {state.kind === 'known' && (
        <IconButton
          icon="copy"
          label={t('info.copyChecksum', { name })}
          small
          onClick={() => void copyLink(state.value, t('info.copied', { name }))}
        />
      )}
    </div>
  )
}
