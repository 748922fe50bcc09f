import { unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { showFailure } from '../../dialogs/show-failure.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { readBytes } from '../../server/queries/contents.ts'
import styles from './Comparison.module.css'
import { codeLook } from './code-look.ts'
import { decodeText } from './text-file.ts'

/** The text on the disk with the one of the editor over it: additions stand out, removals are crossed out. */
export function Comparison({ path, name, mine }: { path: string; name: string; mine: string }) {
  const { t } = useTranslation()
  const container = useRef<HTMLDivElement>(null)

  useEffect(() => {
    let view: EditorView | undefined
    let isUnmounted = false
    readBytes(path).then(({ bytes }) => {
      if (isUnmounted || container.current === null) return
      view = new EditorView({
        parent: container.current,
        state: EditorState.create({
          doc: mine,
          extensions: [
            lineNumbers(),
            EditorView.lineWrapping,
            EditorState.readOnly.of(true),
            EditorView.editable.of(false),
            // Not editable, but scrolled by keyboard.
            EditorView.contentAttributes.of({ 'aria-label': name, tabindex: '0' }),
            unifiedMergeView({ original: decodeText(bytes).text, mergeControls: false, collapseUnchanged: {} }),
            codeLook,
          ],
        }),
      })
    }, showFailure)
    return () => {
      isUnmounted = true
      view?.destroy()
    }
  }, [path, name, mine])

  return (
    <figure className={styles.comparison}>
      <figcaption className={styles.legend}>
        <span data-side="theirs">{t('editor.theirs')}</span>
        <span data-side="mine">{t('editor.mine')}</span>
      </figcaption>
      <div ref={container} className={styles.text} />
    </figure>
  )
}
