import { gotoLine } from '@codemirror/search'
import { formatSize } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { encodings } from '../formats/encodings.ts'
import styles from './EditorStatus.module.css'
import type { TextFile } from './text-file.ts'
import type { CodeEditor } from './use-code-editor.ts'

interface EditorStatusProps {
  code: CodeEditor
  written: TextFile
  size: number
  fontSize: number
  isReadOnly: boolean
  isWrapping: boolean
  onWrap: () => void
  onEncoding: (encoding: string) => void
}

export function EditorStatus(props: EditorStatusProps) {
  const { code, written, size, fontSize, isReadOnly, isWrapping, onWrap, onEncoding } = props
  const { t } = useTranslation()
  const state = code.isDirty ? t('editor.unsaved') : t('editor.saved')
  const goToLine = () => code.view !== null && gotoLine(code.view)

  return (
    <div className={styles.status}>
      <span role="status" className={styles.state} data-dirty={code.isDirty}>
        {isReadOnly ? t('editor.readOnly') : state}
      </span>
      <span className={styles.facts}>
        {/* Not announced with every move of the cursor. The button says it when it gets the focus. */}
        <span role="status" aria-live="off">
          <button type="button" className={styles.choice} data-tip={t('editor.goToLine')} onClick={goToLine}>
            {t('editor.position', { line: code.line, column: code.column })}
          </button>
        </span>
        <span role="status" className={styles.extra}>
          {t('editor.fontSize', { size: fontSize })}
        </span>
        <span className={styles.extra}>{code.language ?? t('editor.plainText')}</span>
        <select
          className={styles.choice}
          aria-label={t('editor.encoding')}
          value={written.encoding}
          disabled={code.isDirty}
          onChange={(event) => onEncoding(event.target.value)}
        >
          {[...new Set([written.encoding, ...encodings])].map((encoding) => (
            <option key={encoding} value={encoding}>
              {encoding.toUpperCase()}
            </option>
          ))}
        </select>
        <span className={styles.extra}>{lineBreakNames[written.lineBreak]}</span>
        <button type="button" className={styles.choice} aria-pressed={isWrapping} onClick={onWrap}>
          {t('editor.wrap')}
        </button>
        <bdi className={styles.extra}>{formatSize(size)}</bdi>
      </span>
    </div>
  )
}

/** Names that are the same in every language. */
const lineBreakNames = { '\n': 'LF', '\r\n': 'CRLF', '\r': 'CR' } as const
