import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { QuestionProps } from '../../dialogs/ask.ts'
import { formatNumber, formatSize } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { useTries } from '../../server/connection.ts'
import { may } from '../../server/queries/access.ts'
import { type Entry, isFolder, previewUrl, resourceQuery } from '../../server/queries/resources.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Checksums } from './Checksums.tsx'
import { DescriptionList } from './DescriptionList.tsx'
import { typeOf } from './entry-type.ts'
import { SizeOfMany } from './FolderSum.tsx'
import styles from './InfoDialog.module.css'
import { useMediaFacts, usePhotoFacts } from './photo-facts.ts'
import { useResolution } from './resolution.ts'

interface InfoQuestion {
  folder: string
  /** None for the folder itself. */
  entries: readonly Entry[]
}

export function InfoDialog({ folder, entries, answer }: QuestionProps<InfoQuestion, never>) {
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
  return (
    <DescriptionList
      items={[
        [t('info.selected'), t('info.several', { count: entries.length })],
        [t('info.size'), <SizeOfMany key="size" entries={entries} />],
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
    <DescriptionList
      items={[
        [t('info.displayName'), path === '/' ? t('frame.myFiles') : entry?.name],
        [t('info.lastModified'), entry && <RelativeTime at={new Date(entry.modified)} />],
        [t('info.numberOfFiles'), folder && formatNumber(folder.numFiles)],
        [t('info.numberOfFolders'), folder && formatNumber(folder.numDirs)],
        [t('files.type'), t('files.types.folder')],
        [t('info.path'), <bdi key="path">{path}</bdi>],
      ]}
    />
  )
}

function AboutFile({ file }: { file: Entry }) {
  const { t } = useTranslation()
  const isImage = file.type === 'image' && may('download', [file])
  const resolution = useResolution(isImage ? file.path : null)
  const noted = usePhotoFacts(useMediaFacts(isImage ? file : null)?.photo)
  return (
    <>
      {isImage && <Picture file={file} />}
      <DescriptionList
        items={[
          [t('info.displayName'), file.name],
          [t('info.size'), formatSize(file.size)],
          [t('info.resolution'), resolution && t('info.pixels', { ...resolution })],
          [t('info.lastModified'), <RelativeTime key="modified" at={new Date(file.modified)} />],
          ...noted,
          [t('files.type'), typeOf(file)],
          [t('info.path'), <bdi key="path">{file.path}</bdi>],
        ]}
      />
      {may('download', [file]) && <Checksums path={file.path} />}
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
