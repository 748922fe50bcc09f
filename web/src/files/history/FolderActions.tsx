import { join, nameOf } from '@filestead/contract'
import { useState } from 'react'
import { askWith } from '../../dialogs/ask.ts'
import { showFailure } from '../../dialogs/show-failure.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { inPast } from '../../server/queries/past.ts'
import { rawUrl } from '../../server/queries/resources.ts'
import { currentSession } from '../../server/session.ts'
import { Button } from '../../ui/Button.tsx'
import { saveArchive, saveFile } from '../download/save.ts'
import { restorePast } from '../operations/restore-past.ts'
import type { PastEntry } from './folder-entries.ts'
import { entryOf } from './moments.ts'

interface FolderActionsProps {
  folder: string
  /** What is chosen. */
  entries: readonly PastEntry[]
  onDone(): void
}

/** What can be taken out of the past. What is as it was needs no restoring. */
export function FolderActions({ folder, entries, onDone }: FolderActionsProps) {
  const { t } = useTranslation()
  const [isBusy, setIsBusy] = useState(false)
  const kept = entries.flatMap(({ path, isDir, size = 0, modified, past }) =>
    past === undefined ? [] : [{ path, isDir, size, modified, past }],
  )

  async function restoreTo(placeOf: (path: string) => string) {
    setIsBusy(true)
    try {
      const count = await restorePast(kept.map((entry) => ({ ...entry, to: placeOf(entry.path) })))
      if (count !== null && count > 0) onDone()
    } catch (error) {
      showFailure(error)
    } finally {
      setIsBusy(false)
    }
  }

  async function restoreElsewhere() {
    const words = {
      title: t('history.restoreToTitle'),
      label: t('history.restore'),
      to: (name: string) => t('history.restoreToFolder', { folder: name }),
    }
    const question = {
      kind: 'copy' as const,
      entries: entries.map((entry) => entryOf(entry.path, entry)),
      folder,
      words,
    }
    const load = async () => (await import('../operations/DestinationDialog.tsx')).DestinationDialog
    const to = await askWith(load, question)
    if (to !== null) await restoreTo((path) => join(to, nameOf(path)))
  }

  /** Several entries come as one archive, which is of one past. */
  const [first, ...others] = entries
  const isOnePast = others.every(({ past }) => past === first?.past)

  async function download() {
    if (first === undefined) return
    const past = first.past ?? null
    if (others.length === 0 && !first.isDir) return saveFile(inPast(rawUrl(first.path), past))
    const names = others.length === 0 ? [] : entries.map(({ name }) => name)
    const from = others.length === 0 ? first.path : folder
    const question = { count: entries.length, folder: from, name: first.name }
    const format = await askWith(async () => (await import('../download/FormatDialog.tsx')).FormatDialog, question)
    if (format === null) return
    saveArchive({ folder: inPast(rawUrl(from), past), names, format, token: currentSession()?.token })
  }

  return (
    <>
      <Button
        look="line"
        icon="download"
        disabled={first === undefined || !isOnePast}
        aria-description={isOnePast ? undefined : t('history.oneByOne')}
        onClick={() => void download().catch(showFailure)}
      >
        {t('download.download')}
      </Button>
      <Button
        look="line"
        icon="move"
        disabled={kept.length === 0 || isBusy}
        onClick={() => void restoreElsewhere().catch(showFailure)}
      >
        {t('history.restoreTo')}
      </Button>
      <Button
        look="primary"
        icon="undo"
        isBusy={isBusy}
        disabled={kept.length === 0}
        onClick={() => void restoreTo((path) => path)}
      >
        {t('history.restore')}
      </Button>
    </>
  )
}
