import { type ReactNode, useEffect, useState } from 'react'
import { MarkdownArticle } from '../../editor/MarkdownArticle.tsx'
import { addressBeside, createMarkdownRenderer } from '../../editor/markdown.ts'
import { Loading } from '../ViewerParts.tsx'
import styles from './MarkdownViewer.module.css'
import { readText } from './TextViewer.tsx'

interface MarkdownViewerProps {
  name: string
  path: string
  src: string
  /** Where a picture beside the text is found. */
  pictureAt(path: string): string
  /** Shown when it cannot be read. */
  otherwise: ReactNode
}

/** A Markdown text as it is meant to be read. */
export function MarkdownViewer({ name, path, src, pictureAt, otherwise }: MarkdownViewerProps) {
  const [html, setHtml] = useState<string | null>(null)
  const [hasFailed, setHasFailed] = useState(false)

  // biome-ignore lint/correctness/useExhaustiveDependencies: pictures are looked up once, when the text is there
  useEffect(() => {
    const controller = new AbortController()
    const render = createMarkdownRenderer((address) => addressBeside(path, address, pictureAt))
    readText(src, controller.signal)
      .then(render)
      .then(
        (next) => !controller.signal.aborted && setHtml(next),
        () => setHasFailed(!controller.signal.aborted),
      )
    return () => controller.abort()
  }, [path, src])

  if (hasFailed) return otherwise
  if (html === null) return <Loading />
  return <MarkdownArticle aria-label={name} className={styles.markdown} data-own-keys html={html} />
}
