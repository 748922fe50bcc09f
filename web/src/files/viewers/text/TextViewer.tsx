import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from '../../../i18n/i18n.ts'
import { guessEncoding } from '../../formats/encodings.ts'
import { Loading } from '../ViewerParts.tsx'
import styles from './TextViewer.module.css'

interface TextViewerProps {
  name: string
  src: string
  size: number
  /** Shown when it cannot be read. */
  otherwise: ReactNode
}

/** In bytes. Longer texts are cut: laying them out would stop the page. */
const longestText = 256 * 1024

/** A text to read, not to change. */
export function TextViewer({ name, src, size, otherwise }: TextViewerProps) {
  const { t } = useTranslation()
  const [text, setText] = useState<string | null>(null)
  const [hasFailed, setHasFailed] = useState(false)

  useEffect(() => {
    const controller = new AbortController()
    readText(src, controller.signal).then(setText, () => setHasFailed(!controller.signal.aborted))
    return () => controller.abort()
  }, [src])

  if (hasFailed) return otherwise
  if (text === null) return <Loading />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text has to be scrolled by keyboard too
    <div className={styles.text} tabIndex={0} role="document" aria-label={name} data-own-keys>
      <pre dir="auto">{text}</pre>
      {size > longestText && <p className={styles.cut}>{t('visit.tooLong')}</p>}
    </div>
  )
}

/** The beginning of a text, in the encoding that fits it. */
export async function readText(src: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(src, { signal, headers: { Range: `bytes=0-${longestText - 1}` } })
  // An empty file has no range.
  if (response.status === 416) return ''
  if (!response.ok) throw new Error(`The server answered ${response.status}`)
  const bytes = new Uint8Array(await response.arrayBuffer())
  // Up to the end of a line: half a character would look like another encoding.
  const end = bytes.length < longestText ? -1 : bytes.lastIndexOf(10)
  const whole = end === -1 ? bytes : bytes.subarray(0, end)
  return new TextDecoder(guessEncoding(whole)).decode(whole)
}
