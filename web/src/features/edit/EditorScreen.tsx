import { parentOf, type Resource } from '@filestead/contract'
import { type CSSProperties, lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isShortcut } from '../../actions/shortcuts.ts'
import { cache } from '../../api/cache.ts'
import { resourceKey } from '../../api/resources.ts'
import { can, useUser } from '../../api/session.ts'
import { showFailure } from '../../api/show-failure.ts'
import { instanceName } from '../../api/start-settings.ts'
import { askAboutChanges } from '../../forms/ask-about-changes.ts'
import { folderAddress } from '../../navigation/addresses.ts'
import { guardLeaving, navigate } from '../../navigation/location.ts'
import { chooseWhenListed, enterFile } from '../../place/place.ts'
import { isAsking } from '../../prompts/prompts.ts'
import { useEscape } from '../../prompts/use-escape.ts'
import { Panel } from '../../ui/Panel.tsx'
import { EditorHeader } from './EditorHeader.tsx'
import styles from './EditorScreen.module.css'
import { EditorStatus } from './EditorStatus.tsx'
import { useFontSize } from './font-size.ts'
import { useKeptText } from './kept-text.ts'
import { saveText } from './save.ts'
import type { TextFile } from './text-file.ts'
import { editorThemeOf } from './themes.ts'
import { useCodeEditor } from './use-code-editor.ts'

const MarkdownPreview = lazy(async () => ({ default: (await import('./MarkdownPreview.tsx')).MarkdownPreview }))

interface EditorScreenProps {
  file: Resource
  text: TextFile
  version: string | null
  /** Reads the file again, in another encoding if one is named. */
  onReload: (encoding?: string) => Promise<unknown>
}

export function EditorScreen({ file, text, version, onReload }: EditorScreenProps) {
  const { t } = useTranslation()
  const user = useUser()
  const place = useRef<HTMLDivElement>(null)
  const folder = parentOf(file.path)
  const [written, setWritten] = useState({ file: text, version })
  const [isSaving, setIsSaving] = useState(false)
  const [isWrapping, setIsWrapping] = useState(true)
  const isMarkdown = /\.(md|markdown)$/i.test(file.name)
  const [isPreviewing, setIsPreviewing] = useState(false)
  const fontSize = useFontSize()
  const isReadOnly = file.type === 'textImmutable' || !can('modify')
  const code = useCodeEditor({ parent: place, name: file.name, file: text, isReadOnly, isWrapping, onClose: close })
  const { isDirty } = code
  const giveUp = useKeptText({
    userId: user.id,
    path: file.path,
    code,
    isReadOnly,
    version: written.version,
    onBack: (version) => setWritten((now) => ({ ...now, version })),
  })

  useEffect(() => enterFile('editor', folder, file), [folder, file])

  async function save(): Promise<boolean> {
    if (code.view === null || isReadOnly || isSaving) return false
    setIsSaving(true)
    try {
      const { doc } = code.view.state
      const saving = { path: file.path, name: file.name, text: code.view.state.sliceDoc() }
      const result = await saveText({ ...saving, ...written })
      if (result.outcome === 'load-theirs') {
        giveUp()
        await onReload()
      }
      if (result.outcome !== 'saved') return false
      setWritten({ file: result.file, version: result.version })
      // What was read before is no longer what lies there.
      cache.removeQueries({ queryKey: resourceKey(file.path), type: 'inactive' })
      // What was written while the server was busy is not saved.
      return code.markSaved(doc)
    } catch (error) {
      showFailure(error)
      return false
    } finally {
      setIsSaving(false)
    }
  }

  /** The button is greyed once there is nothing to save, and the focus would be nowhere: it goes on in the text. */
  async function saveByButton() {
    if (await save()) code.view?.focus()
  }

  async function close() {
    chooseWhenListed(folder, file.name)
    await navigate(folderAddress(folder))
  }

  useEscape(() => void close())
  useSaveShortcut(save)
  useLeavingGuard(isDirty, save, giveUp)

  return (
    <Panel view="editor" heading={instanceName} header={null}>
      <section
        id="editor-container"
        aria-label={t('editor.editor')}
        className={styles.editor}
        data-dirty={isDirty}
        data-readonly={isReadOnly}
      >
        <EditorHeader
          file={file}
          code={code}
          isReadOnly={isReadOnly}
          isSaving={isSaving}
          isPreviewing={isMarkdown ? isPreviewing : undefined}
          fontSize={fontSize}
          onPreview={() => setIsPreviewing(!isPreviewing)}
          onSave={() => void saveByButton()}
          onClose={() => void close()}
        />
        <div
          className={styles.split}
          data-preview={isPreviewing}
          data-editor-theme={editorThemeOf(user.aceEditorTheme) ?? undefined}
          style={{ '--code-size': `${fontSize.size}px` } as CSSProperties}
        >
          <div id="editor" ref={place} className={styles.code} />
          {isPreviewing && code.view !== null && (
            <Suspense fallback={null}>
              <MarkdownPreview view={code.view} revision={code.revision} path={file.path} />
            </Suspense>
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

/** Wherever the focus is in the editor's screen, Ctrl+S saves; elsewhere it would download. */
function useSaveShortcut(save: () => Promise<boolean>): void {
  const latest = useRef(save)
  latest.current = save
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (!isShortcut(event, 'Mod+S')) return
      event.preventDefault()
      if (!isAsking()) void latest.current()
    }
    addEventListener('keydown', onKeyDown, { capture: true })
    return () => removeEventListener('keydown', onKeyDown, { capture: true })
  }, [])
}

/** Text that is not saved is never left without a question: not for another screen, not for another tab's address. */
function useLeavingGuard(isDirty: boolean, save: () => Promise<boolean>, giveUp: () => void): void {
  const latest = useRef({ save, giveUp })
  latest.current = { save, giveUp }
  useEffect(() => {
    if (!isDirty) return
    const release = guardLeaving(async () => {
      const choice = await askAboutChanges()
      if (choice === 'save') return latest.current.save()
      if (choice === 'discard') latest.current.giveUp()
      return choice === 'discard'
    })
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => {
      release()
      removeEventListener('beforeunload', warn)
    }
  }, [isDirty])
}
