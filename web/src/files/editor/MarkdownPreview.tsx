import type { EditorView } from '@codemirror/view'
import { join, parentOf } from '@filestead/contract'
import { startTransition, useEffect, useMemo, useRef, useState } from 'react'
import { showFailure } from '../../dialogs/show-failure.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { rawUrl } from '../../server/queries/resources.ts'
import styles from './MarkdownPreview.module.css'
import { createMarkdownRenderer } from './markdown.ts'

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

  const render = useMemo(() => createMarkdownRenderer((address) => imageBeside(path, address)), [path])
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
    <article
      id="preview-container"
      ref={article}
      aria-label={t('editor.markdownPreview')}
      className={styles.preview}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text has to be scrolled by keyboard, too
      tabIndex={0}
      dir="auto"
      // biome-ignore lint/security/noDangerouslySetInnerHtml: the renderer sanitises it
      dangerouslySetInnerHTML={{ __html: html }}
    />
  )
}

/** The address of a picture beside the text: '../img/a.png' and the like. Nothing from other origins. */
function imageBeside(path: string, address: string): string | null {
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
