import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { PromptProps } from '../../dialogs/prompts.ts'
import { formatExact, formatNumber, formatSize } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { useRelativeTime } from '../../i18n/relative-time.ts'
import { useTries } from '../../server/connection.ts'
import { type Entry, isFolder, previewUrl, resourceQuery } from '../../server/queries/resources.ts'
import { can } from '../../server/session.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Checksums } from './Checksums.tsx'
import { Facts } from './Facts.tsx'
import styles from './InfoPrompt.module.css'
import { useResolution } from './resolution.ts'

interface InfoQuestion {
  folder: string
  /** None for the folder itself. */
  entries: readonly Entry[]
}

export function InfoPrompt({ folder, entries, answer }: PromptProps<InfoQuestion, never>) {
  const { t } = useTranslation()
  const [entry] = entries
  return (
    <Dialog
      title={t('info.title')}
      onClose={() => answer(null)}
      actions={
        <Button look="primary" data-autofocus="" onClick={() => answer(null)}>
          {t('buttons.ok')}
        </Button>
      }
    >
      {entries.length > 1 && <AboutMany entries={entries} />}
      {entry === undefined && <AboutFolder path={folder} />}
      {entries.length === 1 && entry?.isDir === true && <AboutFolder path={entry.path} known={entry} />}
      {entries.length === 1 && entry?.isDir === false && <AboutFile file={entry} />}
    </Dialog>
  )
}

function AboutMany({ entries }: { entries: readonly Entry[] }) {
  const { t } = useTranslation()
  const bytes = entries.reduce((sum, { isDir, size }) => sum + (isDir ? 0 : size), 0)
  return (
    <Facts
      facts={[
        [t('info.selected'), t('info.several', { count: entries.length })],
        [t('info.size'), formatSize(bytes)],
      ]}
    />
  )
}

/** The counts are added once the server has answered. */
function AboutFolder({ path, known }: { path: string; known?: Entry }) {
  const { t } = useTranslation()
  const { data } = useQuery({ ...resourceQuery(path), staleTime: 10_000 })
  const folder = data !== undefined && isFolder(data) ? data : null
  const entry = known ?? folder
  return (
    <Facts
      facts={[
        [t('info.displayName'), path === '/' ? t('frame.myFiles') : entry?.name],
        [t('info.lastModified'), entry && <Modified at={entry.modified} />],
        [t('info.numberOfFiles'), folder && formatNumber(folder.numFiles)],
        [t('info.numberOfFolders'), folder && formatNumber(folder.numDirs)],
      ]}
    />
  )
}

function AboutFile({ file }: { file: Entry }) {
  const { t } = useTranslation()
  const isImage = file.type === 'image' && can('download')
  const resolution = useResolution(isImage ? file.path : null)
  return (
    <>
      {isImage && <Picture file={file} />}
      <Facts
        facts={[
          [t('info.displayName'), file.name],
          [t('info.size'), formatSize(file.size)],
          [t('info.resolution'), resolution && t('info.pixels', { ...resolution })],
          [t('info.lastModified'), <Modified key="modified" at={file.modified} />],
        ]}
      />
      {can('download') && <Checksums path={file.path} />}
    </>
  )
}

/** The content of an image file. Left out where it cannot be decoded. */
function Picture({ file }: { file: Entry }) {
  const [hasFailed, setHasFailed] = useState(false)
  const { tries, onError } = useTries(() => setHasFailed(true))
  if (hasFailed) return null
  return <img key={tries} className={styles.picture} src={previewUrl('big', file)} alt="" onError={onError} />
}

function Modified({ at }: { at: string }) {
  const time = new Date(at)
  const relative = useRelativeTime(time)
  return (
    <time dateTime={at} title={formatExact(time)}>
      {relative}
    </time>
  )
}
