import { type KeyboardEvent, useState } from 'react'
import type { QuestionProps } from '../../dialogs/ask.ts'
import { formatSize } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { addressOf } from '../../navigation/addresses.ts'
import { navigate } from '../../navigation/location.ts'
import { cache } from '../../server/queries/cache.ts'
import { type Entry, resourceKey } from '../../server/queries/resources.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { isRightToLeft } from '../../ui/direction.ts'
import { only } from '../../workspace/selection.ts'
import { revealWhenListed, select, workspace } from '../../workspace/workspace.ts'
import { EntryView } from './EntryPreview.tsx'
import styles from './QuickLookDialog.module.css'

interface QuickLookQuestion {
  folder: string
  /** What the arrows lead through: the selected entries, or all of the folder. */
  among: readonly Entry[]
  /** The name to begin with. */
  first: string
}

/**
 * A look at an entry without leaving the listing. The arrows go on to the next one; where one entry was selected, the
 * selection goes along, and several stay selected. Space and Escape close.
 */
export function QuickLookDialog({ folder, among, first, answer }: QuestionProps<QuickLookQuestion, never>) {
  const { t } = useTranslation()
  const [name, setName] = useState(first)
  const at = among.findIndex((entry) => entry.name === name)
  const entry = among[at]
  const isAlone = workspace().selection.names.size <= 1

  function step(by: number) {
    const next = among[at + by]
    if (next === undefined) return
    setName(next.name)
    if (isAlone) select(only(next.name))
  }

  function close() {
    answer(null)
    if (!isAlone || name === first) return
    // The keyboard goes on where the selection is.
    revealWhenListed(folder, name, { focus: 'take' })
    cache().setQueryData(resourceKey(folder), (listed: object | undefined) => listed && { ...listed })
  }

  function onKeyDown(event: KeyboardEvent) {
    const { key } = event
    const target = event.target as Element
    // A film, music and a text have these keys for themselves.
    const isTaken = target !== event.currentTarget && !(target.matches('pre, article') && /Left|Right| /.test(key))
    if (isTaken || event.altKey || event.ctrlKey || event.metaKey) return
    const forward = isRightToLeft() ? -1 : 1
    const moves = new Map([
      ['ArrowRight', forward],
      ['ArrowLeft', -forward],
      ['ArrowDown', 1],
      ['ArrowUp', -1],
    ])
    const by = moves.get(key)
    if (by !== undefined) step(by)
    else if (key === ' ') close()
    else return
    event.preventDefault()
  }

  if (entry === undefined) return null
  return (
    <Dialog
      title={entry.name}
      width="stage"
      onClose={close}
      asideAction={
        <span className={styles.steps}>
          <IconButton icon="chevron-left" label={t('preview.previous')} disabled={at === 0} onClick={() => step(-1)} />
          <span>{t('preview.position', { position: at + 1, count: among.length })}</span>
          <IconButton
            icon="chevron-right"
            label={t('preview.next')}
            disabled={at === among.length - 1}
            onClick={() => step(1)}
          />
          {!entry.isDir && <bdi className={styles.size}>{formatSize(entry.size)}</bdi>}
        </span>
      }
      actions={
        <>
          <Button
            look="line"
            onClick={() => {
              answer(null)
              void navigate(addressOf(entry))
            }}
          >
            {t('files.open')}
          </Button>
          <Button look="primary" onClick={close}>
            {t('buttons.close')}
          </Button>
        </>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys that its buttons have as well */}
      <div className={styles.stage} tabIndex={-1} data-autofocus="" onKeyDown={onKeyDown}>
        <EntryView key={entry.path} entry={entry} />
      </div>
    </Dialog>
  )
}
