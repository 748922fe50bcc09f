import { useEffect, useRef, useState } from 'react'
import { describeFailure } from '../../dialogs/show-failure.ts'
import { formatSize } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { isAbort } from '../../server/client.ts'
import { folderSize } from '../../server/queries/folder-size.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { Button, Spinner } from '../../ui/Button.tsx'
import styles from './FolderSum.module.css'

interface FolderSumProps {
  /** The folders to add up. */
  paths: readonly string[]
  /** What is known without asking: of files beside the folders. */
  bytes?: number
  files?: number
}

type State = { kind: 'unknown' | 'counting' | 'whole'; bytes: number; files: number } | { kind: 'failed'; why: string }

/** The size of folders. The server reads all that is below them, so it is asked on demand and can be stopped. */
export function FolderSum({ paths, bytes = 0, files = 0 }: FolderSumProps) {
  const { t } = useTranslation()
  const [state, setState] = useState<State>({ kind: 'unknown', bytes, files })
  const counting = useRef<AbortController | null>(null)
  useEffect(() => () => counting.current?.abort(), [])

  async function count() {
    const control = new AbortController()
    counting.current = control
    const sum = { bytes, files }
    setState({ kind: 'counting', ...sum })
    try {
      for (const path of paths) {
        let last = { bytes: 0, files: 0 }
        for await (const part of folderSize(path, control.signal)) {
          last = part
          setState({ kind: 'counting', bytes: sum.bytes + last.bytes, files: sum.files + last.files })
        }
        sum.bytes += last.bytes
        sum.files += last.files
      }
      setState({ kind: 'whole', ...sum })
    } catch (error) {
      if (control.signal.aborted || isAbort(error)) setState({ kind: 'unknown', bytes, files })
      else setState({ kind: 'failed', why: describeFailure(error) })
    }
  }

  return (
    <span className={styles.sum}>
      <span role="status" aria-busy={state.kind === 'counting'} data-folder-size={state.kind}>
        {state.kind === 'counting' && <Spinner />}
        {state.kind === 'failed' && state.why}
        {(state.kind === 'counting' || state.kind === 'whole') &&
          `${formatSize(state.bytes)} · ${t('upload.doneCount', { count: state.files })}`}
      </span>
      {(state.kind === 'unknown' || state.kind === 'failed') && (
        <Button look="line" size="small" onClick={() => void count()}>
          {t('info.calculate')}
        </Button>
      )}
      {state.kind === 'counting' && (
        <Button size="small" onClick={() => counting.current?.abort()}>
          {t('info.stop')}
        </Button>
      )}
    </span>
  )
}

/** Files are added up at once; with folders among them the sum is asked for. */
export function SizeOfMany({ entries }: { entries: readonly Entry[] }) {
  const folders = entries.filter(({ isDir }) => isDir).map(({ path }) => path)
  const bytes = entries.reduce((sum, { isDir, size }) => sum + (isDir ? 0 : size), 0)
  if (folders.length === 0) return formatSize(bytes)
  return <FolderSum key={folders.join('\n')} paths={folders} bytes={bytes} files={entries.length - folders.length} />
}
