import type { EditorView } from '@codemirror/view'
import { parentOf, type Resource } from '@filestead/contract'
import { type CSSProperties, type ReactNode, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useKeys } from '../../commands/keyboard.ts'
import { showFailure } from '../../dialogs/show-failure.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { folderAddress } from '../../navigation/addresses.ts'
import { returnTo } from '../../navigation/return-to.ts'
import { useUnsavedChanges } from '../../navigation/unsaved-changes.ts'
import { may } from '../../server/queries/access.ts'
import { useUser } from '../../server/session.ts'
import { instanceName } from '../../server/start-settings.ts'
import { aboveKeyboard } from '../../ui/above-keyboard.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { forgetOwnText } from '../../workspace/unsaved-text.ts'
import { enterFile, revealWhenListed } from '../../workspace/workspace.ts'
import { isMarkdown } from '../formats/kinds.ts'
import styles from './Editor.module.css'
import { EditorHeader } from './EditorHeader.tsx'
import { EditorStatus } from './EditorStatus.tsx'
import { FindBar } from './FindBar.tsx'
import { FoundTextNotice } from './FoundTextNotice.tsx'
import { useFontSize } from './font-size.ts'
import { saveText, showSaved } from './save.ts'
import type { TextFile } from './text-file.ts'
import { editorThemeOf } from './themes.ts'
import { useCodeEditor } from './use-code-editor.ts'
import { useUnsavedText } from './use-unsaved-text.ts'

const MarkdownPreview = lazyPart(async () => (await import('./MarkdownPreview.tsx')).MarkdownPreview)

interface EditorProps {
  file: Resource
  text: TextFile
  version: string | null
  /** The way to its folder. */
  crumbs: ReactNode
  /** Reads the file again, in another encoding if one is named. */
  onReload: (encoding?: string) => Promise<unknown>
}

export function Editor({ file, text, version, crumbs, onReload }: EditorProps) {
  const { t } = useTranslation()
  const user = useUser()
  const frame = useRef<HTMLElement>(null)
  const container = useRef<HTMLDivElement>(null)
  const folder = parentOf(file.path)
  const [written, setWritten] = useState({ file: text, version })
  const [isSaving, setIsSaving] = useState(false)
  /** The saving that goes on, and whether it was asked for since it read the text. */
  const saving = useRef<Promise<boolean> | null>(null)
  const isWanted = useRef(false)
  const [isWrapping, setIsWrapping] = useState(true)
  const [isPreviewing, setIsPreviewing] = useState(false)
  const fontSize = useFontSize()
  const isReadOnly = file.type === 'textImmutable' || !may('change', [file])
  const code = useCodeEditor({ parent: container, name: file.name, file: text, isReadOnly, isWrapping, onClose: close })
  const { isDirty } = code
  const unsaved = useUnsavedText({
    userId: user.id,
    path: file.path,
    code,
    isReadOnly,
    version: written.version,
    onVersion: (version) => setWritten((now) => ({ ...now, version })),
  })

  useEffect(() => aboveKeyboard(frame.current, code.showCursor), [code.showCursor])

  useEffect(() => enterFile('editor', folder, file), [folder, file])

  /** Answers whether everything is saved. Asked for while the server saves, it also saves what was typed meanwhile. */
  async function save(): Promise<boolean> {
    if (code.view === null || isReadOnly) return false
    isWanted.current = true
    saving.current ??= saveWhileWanted(code.view).finally(() => {
      saving.current = null
      setIsSaving(false)
    })
    return saving.current
  }

  async function saveWhileWanted(view: EditorView): Promise<boolean> {
    setIsSaving(true)
    let isClean = false
    let from = written
    try {
      while (isWanted.current && !isClean) {
        isWanted.current = false
        const { doc } = view.state
        const result = await saveText({ path: file.path, name: file.name, text: view.state.sliceDoc(), ...from })
        if (result.outcome === 'load-theirs') {
          unsaved.giveUp()
          await onReload()
        }
        if (result.outcome !== 'saved') return false
        from = { file: result.file, version: result.version }
        setWritten(from)
        showSaved(file.path, result)
        isClean = code.markSaved(doc)
        if (isClean) forgetOwnText(file.path)
      }
    } catch (error) {
      showFailure(error)
    }
    return isClean
  }

  /** A disabled button loses the focus, so the text takes it. */
  async function saveByButton() {
    if (await save()) code.view?.focus()
  }

  async function close() {
    revealWhenListed(folder, file.name)
    await returnTo(folderAddress(folder))
  }

  useKeys({ Escape: close, 'Mod+S': save }, { level: 'frame' })
  useUnsavedChanges(isDirty, { save, discard: unsaved.giveUp })

  return (
    <Panel view="editor" heading={instanceName} header={null}>
      <section
        ref={frame}
        id="editor-container"
        aria-label={t('editor.editor')}
        className={styles.editor}
        data-dirty={isDirty}
        data-readonly={isReadOnly}
      >
        <EditorHeader
          file={file}
          crumbs={crumbs}
          code={code}
          isReadOnly={isReadOnly}
          isSaving={isSaving}
          isPreviewing={isMarkdown(file.name) ? isPreviewing : undefined}
          fontSize={fontSize}
          onPreview={() => setIsPreviewing(!isPreviewing)}
          onSave={() => void saveByButton()}
          onClose={() => void close()}
        />
        <FoundTextNotice name={file.name} unsaved={unsaved} />
        <div
          className={styles.split}
          data-preview={isPreviewing}
          data-editor-theme={editorThemeOf(user.aceEditorTheme) ?? undefined}
          style={{ '--code-size': `${fontSize.size}px` } as CSSProperties}
        >
          <div id="editor" ref={container} className={styles.code} />
          {code.view !== null &&
            code.findPanel !== null &&
            createPortal(<FindBar view={code.view} isReadOnly={isReadOnly} />, code.findPanel)}
          {isPreviewing && code.view !== null && (
            <MarkdownPreview view={code.view} revision={code.revision} path={file.path} />
          )}
        </div>
        <EditorStatus
          code={code}
          written={written.file}
          size={file.size}
          fontSize={fontSize.size}
          isReadOnly={isReadOnly}
          isWrapping={isWrapping}
          onWrap={() => setIsWrapping(!isWrapping)}
          onEncoding={(encoding) => void (isDirty ? undefined : onReload(encoding))}
        />
      </section>
    </Panel>
  )
}
