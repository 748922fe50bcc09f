import { openSearchPanel } from '@codemirror/search'
import { parentOf, type Resource } from '@filestead/contract'
import type { ReactNode } from 'react'
import { shownKeys } from '../../commands/command-keys.ts'
import { menuItems } from '../../commands/menu-items.ts'
import { runById, useSectionsOf } from '../../commands/registry.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { may } from '../../server/queries/access.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { copyText } from '../../ui/copy-text.ts'
import { Menu, type MenuItem } from '../../ui/Menu.tsx'
import { useMedia } from '../../ui/media.ts'
import { toastError } from '../../ui/toasts.ts'
import styles from './EditorHeader.module.css'
import type { CodeEditor } from './use-code-editor.ts'

interface EditorHeaderProps {
  file: Resource
  /** The way to its folder. A phone shows it as words below the name. */
  crumbs: ReactNode
  code: CodeEditor
  isReadOnly: boolean
  isSaving: boolean
  /** undefined where there is nothing to preview. */
  isPreviewing: boolean | undefined
  fontSize: { grow: () => void; shrink: () => void }
  onPreview: () => void
  onSave: () => void
  onClose: () => void
}

export function EditorHeader(props: EditorHeaderProps) {
  const { file, crumbs, code, isReadOnly, isSaving, isPreviewing, fontSize, onPreview, onSave, onClose } = props
  const { t } = useTranslation()
  const isNarrow = useMedia('narrow')
  const commands = useSectionsOf('editor')
  const mayChange = may('change', [file])
  const edits = useEditActions(code, isReadOnly, mayChange)
  const sizes: MenuItem[] = [
    { id: 'smaller', label: t('editor.decreaseFont'), icon: 'text-minus', onSelect: fontSize.shrink },
    { id: 'larger', label: t('editor.increaseFont'), icon: 'text-plus', onSelect: fontSize.grow },
  ]

  const find = () => code.view !== null && openSearchPanel(code.view)

  return (
    <header className={styles.header}>
      <div className={styles.bar}>
        <IconButton icon="x" label={t('buttons.close')} hint="Esc" onClick={onClose} />
        <div className={styles.title}>
          <h2 className={styles.name} data-dirty={code.isDirty}>
            <bdi>{file.name}</bdi>
          </h2>
          {isNarrow && (
            <span className={styles.folder}>
              <bdi>{parentOf(file.path)}</bdi>
            </span>
          )}
        </div>
        {isPreviewing !== undefined && (
          <IconButton icon="split" label={t('editor.preview')} aria-pressed={isPreviewing} onClick={onPreview} />
        )}
        {(commands.flat().length > 0 || isNarrow) && (
          <Menu
            label={t('editor.more')}
            align="end"
            trigger={<IconButton icon="more" label={t('editor.more')} />}
            sections={[
              ...(isNarrow
                ? [[{ id: 'find', label: t('editor.find'), icon: 'search' as const, onSelect: find }], edits, sizes]
                : []),
              // Their keys mean the text here, or something else.
              ...commands.map((section) => menuItems(section).map(({ shortcut: _, ...item }) => item)),
            ]}
          />
        )}
        {mayChange && (
          <Button
            id="save-button"
            look="primary"
            icon="save"
            isBusy={isSaving}
            disabled={isReadOnly || (!code.isDirty && !isSaving)}
            onClick={onSave}
          >
            {t('editor.save')}
          </Button>
        )}
      </div>
      {!isNarrow && (
        <div className={styles.path}>
          {crumbs}
          <span className={styles.gap} />
          <IconButton small icon="search" label={t('editor.find')} hint={shownKeys('Mod+F')} onClick={find} />
          <div role="toolbar" aria-label={t('editor.edit')} className={styles.group}>
            {edits.map(toButton)}
          </div>
          <span className={styles.group}>{sizes.map(toButton)}</span>
        </div>
      )}
    </header>
  )
}

/** What can be done with the selected text, without a keyboard. */
function useEditActions({ view, hasSelection }: CodeEditor, isReadOnly: boolean, mayChange: boolean): MenuItem[] {
  const { t } = useTranslation()

  const selected = (): string =>
    view?.state.sliceDoc(view.state.selection.main.from, view.state.selection.main.to) ?? ''

  function replaceSelection(text: string) {
    view?.dispatch(view.state.replaceSelection(text))
    view?.focus()
  }

  async function copy(): Promise<boolean> {
    try {
      await copyText(selected())
      return true
    } catch {
      toastError(t('editor.clipboardDenied'))
      return false
    } finally {
      view?.focus()
    }
  }

  async function cut() {
    if (await copy()) replaceSelection('')
  }

  async function paste() {
    try {
      replaceSelection(await navigator.clipboard.readText())
    } catch {
      toastError(t('editor.clipboardRefused'))
    }
  }

  const changes: MenuItem[] = [
    {
      id: 'cut',
      label: t('editor.cut'),
      icon: 'cut',
      isDisabled: isReadOnly || !hasSelection,
      onSelect: () => void cut(),
    },
    { id: 'paste', label: t('editor.paste'), icon: 'paste', isDisabled: isReadOnly, onSelect: () => void paste() },
  ]
  return [
    { id: 'copy', label: t('editor.copy'), icon: 'copy', isDisabled: !hasSelection, onSelect: () => void copy() },
    ...(mayChange ? changes : []),
    { id: 'palette', label: t('editor.palette'), icon: 'command', onSelect: () => runById('palette') },
  ]
}

const toButton = ({ id, label, icon, isDisabled, onSelect }: MenuItem) =>
  icon !== undefined && <IconButton key={id} small icon={icon} label={label} disabled={isDisabled} onClick={onSelect} />
