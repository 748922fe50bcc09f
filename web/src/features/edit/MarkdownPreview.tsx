import type { EditorView } from '@codemirror/view'
import { join, parentOf } from '@filestead/contract'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { rawUrl } from '../../api/resources.ts'
import { showFailure } from '../../api/show-failure.ts'
import styles from './MarkdownPreview.module.css'
import { renderMarkdown } from './markdown.ts'

interface MarkdownPreviewProps {
  view: EditorView
  /** Changes with the text. */
  revision: number
  path: string
}

/** The text as it will read, following what is written and where the editor is scrolled to. */
export function MarkdownPreview({ view, revision, path }: MarkdownPreviewProps) {
  const { t } = useTranslation()
  const article = useRef<HTMLElement>(null)
  const [html, setHtml] = useState('')

  // biome-ignore lint/correctness/useExhaustiveDependencies: the revision stands for the text in the view
  useEffect(() => {
    let isStale = false
    renderMarkdown(view.state.sliceDoc(), (address) => besideThe(path, address)).then(
      (next) => !isStale && setHtml(next),
      showFailure,
    )
    return () => {
      isStale = true
    }
  }, [view, revision, path])

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
    <article
      id="preview-container"
      ref={article}
      aria-label={t('editor.markdownPreview')}
      className={styles.preview}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text has to be scrolled by keyboard too
      tabIndex={0}
      dir="auto"
      // biome-ignore lint/security/noDangerouslySetInnerHtml: renderMarkdown sanitises it
      dangerouslySetInnerHTML={{ __html: html }}
    />
  )
}

/** A picture named in the text, if it lies beside it: '../img/a.png' and the like. Nothing from other origins. */
function besideThe(path: string, address: string): string | null {
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(address))
    return /^data:image\/(png|jpeg|gif|webp);/i.test(address) ? address : null
  const [plain = ''] = address.split(/[?#]/)
  const segments: string[] = []
  for (const segment of (plain.startsWith('/') ? plain : join(parentOf(path), plain)).split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(decode(segment))
  }
  return segments.length === 0 ? null : rawUrl(`/${segments.join('/')}`, { inline: true })
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
