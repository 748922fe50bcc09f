import { unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { readBytes } from '../../api/resources.ts'
import { showFailure } from '../../api/show-failure.ts'
import styles from './Comparison.module.css'
import { codeLook } from './code-look.ts'
import { decodeText } from './text-file.ts'

/** Their text with mine over it: what I added stands out, what I took away is crossed out. */
export function Comparison({ path, name, mine }: { path: string; name: string; mine: string }) {
  const { t } = useTranslation()
  const place = useRef<HTMLDivElement>(null)

  useEffect(() => {
    let view: EditorView | undefined
    let isGone = false
    readBytes(path).then(({ bytes }) => {
      if (isGone || place.current === null) return
      view = new EditorView({
        parent: place.current,
        state: EditorState.create({
          doc: mine,
          extensions: [
            lineNumbers(),
            EditorView.lineWrapping,
            EditorState.readOnly.of(true),
            EditorView.editable.of(false),
            // Not to be written in, but to be scrolled by keyboard.
            EditorView.contentAttributes.of({ 'aria-label': name, tabindex: '0' }),
            unifiedMergeView({ original: decodeText(bytes).text, mergeControls: false, collapseUnchanged: {} }),
            codeLook,
          ],
        }),
      })
    }, showFailure)
    return () => {
      isGone = true
      view?.destroy()
    }
  }, [path, name, mine])

  return (
    <figure className={styles.comparison}>
      <figcaption className={styles.legend}>
        <span data-side="theirs">{t('editor.theirs')}</span>
        <span data-side="mine">{t('editor.mine')}</span>
      </figcaption>
      <div ref={place} className={styles.text} />
    </figure>
  )
}
