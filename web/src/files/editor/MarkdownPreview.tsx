import type { EditorView } from '@codemirror/view'
import { startTransition, useEffect, useMemo, useRef, useState } from 'react'
import { showFailure } from '../../dialogs/show-failure.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { rawUrl } from '../../server/queries/resources.ts'
import { MarkdownArticle } from './MarkdownArticle.tsx'
import styles from './MarkdownPreview.module.css'
import { addressBeside, createMarkdownRenderer } from './markdown.ts'

/** The pause in typing after which the preview follows, in milliseconds. */
const renderDelay = 200

interface MarkdownPreviewProps {
  view: EditorView
  /** Changes with the text. */
  revision: number
  path: string
}

/** The text as it will read. It follows the text, after a pause in typing, and the scrolling of the editor. */
export function MarkdownPreview({ view, revision, path }: MarkdownPreviewProps) {
  const { t } = useTranslation()
  const article = useRef<HTMLElement>(null)
  const [html, setHtml] = useState('')

  const render = useMemo(() => createMarkdownRenderer((address) => addressBeside(path, address, inlineUrl)), [path])
  const hasRendered = useRef(false)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the revision stands for the text in the view
  useEffect(() => {
    let isStale = false
    async function show() {
      const next = await render(view.state.sliceDoc())
      if (isStale) return
      hasRendered.current = true
      startTransition(() => setHtml(next))
    }
    const timer = setTimeout(() => void show().catch(showFailure), hasRendered.current ? renderDelay : 0)
    return () => {
      isStale = true
      clearTimeout(timer)
    }
  }, [view, revision, render])

  useEffect(() => {
    const { scrollDOM } = view
    function follow() {
      const reach = scrollDOM.scrollHeight - scrollDOM.clientHeight
      const own = article.current
      if (own === null || reach <= 0) return
      own.scrollTop = (scrollDOM.scrollTop / reach) * (own.scrollHeight - own.clientHeight)
    }
    scrollDOM.addEventListener('scroll', follow, { passive: true })
    return () => scrollDOM.removeEventListener('scroll', follow)
  }, [view])

  return (
    <MarkdownArticle
      id="preview-container"
      ref={article}
      aria-label={t('editor.markdownPreview')}
      className={styles.preview}
      html={html}
    />
  )
}

const inlineUrl = (path: string): string => rawUrl(path, { inline: true })
