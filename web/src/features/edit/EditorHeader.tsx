import type { Resource } from '@filestead/contract'
import { useTranslation } from 'react-i18next'
import { availableActions, perform, performById } from '../../actions/registry.ts'
import { usePlace } from '../../place/place.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { copyText } from '../../ui/copy-text.ts'
import { Menu } from '../../ui/Menu.tsx'
import { Bar } from '../../ui/Panel.tsx'
import { toastError } from '../../ui/toasts.ts'
import styles from './EditorHeader.module.css'
import type { CodeEditor } from './use-code-editor.ts'

interface EditorHeaderProps {
  file: Resource
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
  const { file, code, isReadOnly, isSaving, isPreviewing, fontSize, onPreview, onSave, onClose } = props
  const { t } = useTranslation()
  const place = usePlace()
  const actions = availableActions(place, ['rename', 'download', 'share', 'info', 'delete'])

  return (
    <Bar>
      <IconButton icon="x" label={t('buttons.close')} hint="Esc" onClick={onClose} />
      <h2 className={styles.name} data-dirty={code.isDirty}>
        <bdi>{file.name}</bdi>
      </h2>
      <EditButtons code={code} isReadOnly={isReadOnly} />
      <span className={styles.wide}>
        <IconButton icon="text-minus" label={t('editor.decreaseFont')} onClick={fontSize.shrink} />
        <IconButton icon="text-plus" label={t('editor.increaseFont')} onClick={fontSize.grow} />
      </span>
      {isPreviewing !== undefined && (
        <IconButton icon="split" label={t('editor.preview')} aria-pressed={isPreviewing} onClick={onPreview} />
      )}
      {actions.length > 0 && (
        <Menu
          label={t('editor.more')}
          align="end"
          trigger={<IconButton icon="more" label={t('editor.more')} />}
          sections={[
            actions.map((action) => ({
              id: action.id,
              label: t(action.label),
              icon: action.icon,
              isDanger: action.isDanger,
              onSelect: () => void perform(action),
            })),
          ]}
        />
      )}
      {!isReadOnly && (
        <Button
          id="save-button"
          look="primary"
          icon="save"
          isBusy={isSaving}
          disabled={!code.isDirty && !isSaving}
          onClick={onSave}
        >
          {t('editor.save')}
        </Button>
      )}
    </Bar>
  )
}

function EditButtons({ code: { view, hasSelection }, isReadOnly }: { code: CodeEditor; isReadOnly: boolean }) {
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

  async function paste() {
    try {
      replaceSelection(await navigator.clipboard.readText())
    } catch {
      toastError(t('editor.clipboardRefused'))
    }
  }

  return (
    <div role="toolbar" aria-label={t('editor.edit')} className={styles.wide}>
      <IconButton icon="copy" label={t('editor.copy')} disabled={!hasSelection} onClick={() => void copy()} />
      {!isReadOnly && (
        <>
          <IconButton
            icon="cut"
            label={t('editor.cut')}
            disabled={!hasSelection}
            onClick={() => void copy().then((isCopied) => isCopied && replaceSelection(''))}
          />
          <IconButton icon="paste" label={t('editor.paste')} onClick={() => void paste()} />
        </>
      )}
      <IconButton icon="command" label={t('editor.palette')} onClick={() => performById('palette')} />
    </div>
  )
}
