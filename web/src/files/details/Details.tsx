import { nameOf, parentOf } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { copyLink } from '../../commands/copy-link.ts'
import { runById, useOffered } from '../../commands/registry.ts'
import { ErrorBoundary } from '../../errors/ErrorBoundary.tsx'
import { ViewFailure } from '../../errors/ViewFailure.tsx'
import { formatExact, formatNumber, formatSize, isKnownTime } from '../../i18n/format.ts'
import { needTexts, t as say, useTranslation } from '../../i18n/i18n.ts'
import { may } from '../../server/queries/access.ts'
import { type Entry, isFolder, resourceQuery } from '../../server/queries/resources.ts'
import { can } from '../../server/session.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { AllChecksums } from './Checksums.tsx'
import { DescriptionList } from './DescriptionList.tsx'
import styles from './Details.module.css'
import { EntryPicture } from './EntryPreview.tsx'
import { typeOf } from './entry-type.ts'
import { FolderSum, SizeOfMany } from './FolderSum.tsx'
import { Links } from './Links.tsx'
import { useResolution } from './resolution.ts'

/** For administrators alone, so they alone load it. */
const FolderRights = lazyPart(async () => {
  const [{ FolderRights }] = await Promise.all([import('../rights/FolderRights.tsx'), needTexts('rights')])
  return FolderRights
})

interface DetailsProps {
  folder: string
  /** None for the folder itself. */
  entries: readonly Entry[]
  /** The name is among the facts, where no heading says it. */
  hasName?: boolean
}

/** What is known about the folder, an entry of it, or several. */
export function Details({ folder, entries, hasName = false }: DetailsProps) {
  const [entry] = entries
  if (entries.length > 1)
    return <AboutMany key={`${entries.length} ${entry?.path} ${entries.at(-1)?.path}`} entries={entries} />
  if (entry?.isDir === false) return <AboutFile key={entry.path} file={entry} hasName={hasName} />
  const path = entry?.path ?? folder
  return <AboutFolder key={path} path={path} entry={entry} hasName={hasName} />
}

/** What is said above the facts. */
export function nameOfAll(folder: string, entries: readonly Entry[]): string {
  const [entry] = entries
  if (entries.length > 1) return say('info.several', { count: entries.length })
  return entry?.name ?? nameOfFolder(folder)
}

const nameOfFolder = (path: string): string => (path === '/' ? say('frame.myFiles') : nameOf(path))

function AboutFile({ file, hasName }: { file: Entry; hasName: boolean }) {
  const { t } = useTranslation()
  const mayRead = may('download', [file])
  const resolution = useResolution(mayRead && file.type === 'image' ? file.path : null)
  const exact = file.size < 1024 ? '' : ` (${t('units.b', { amount: formatNumber(file.size) })})`
  return (
    <>
      <EntryPicture entry={file} />
      <DescriptionList
        items={[
          [t('files.name'), hasName ? file.name : null],
          [t('files.type'), typeOf(file)],
          [t('files.size'), formatSize(file.size) + exact],
          [t('info.resolution'), resolution && t('info.pixels', { ...resolution })],
          [t('files.lastModified'), <Time key="time" at={file.modified} />],
          [t('info.path'), <Path key="path" path={file.path} />],
        ]}
      />
      {mayRead && <AllChecksums path={file.path} />}
      <ToVersions />
      <Links path={file.path} canShare={may('share', [file])} />
    </>
  )
}

function AboutFolder({ path, entry, hasName }: { path: string; entry: Entry | undefined; hasName: boolean }) {
  const { t } = useTranslation()
  // The folder in view is known, and kept up to date elsewhere.
  const { data } = useQuery({
    ...resourceQuery(path),
    staleTime: entry === undefined ? Number.POSITIVE_INFINITY : 10_000,
  })
  const folder = data !== undefined && isFolder(data) ? data : null
  const modified = (entry ?? folder)?.modified
  return (
    <>
      {entry !== undefined && <EntryPicture entry={entry} />}
      <DescriptionList
        items={[
          [t('files.name'), hasName ? nameOfFolder(path) : null],
          [t('files.type'), t('files.types.folder')],
          [t('info.numberOfFiles'), folder && formatNumber(folder.numFiles)],
          [t('info.numberOfFolders'), folder && formatNumber(folder.numDirs)],
          [t('files.size'), <FolderSum key="size" paths={[path]} />],
          [t('files.lastModified'), modified && <Time at={modified} />],
          [t('info.path'), <Path key="path" path={path} />],
        ]}
      />
      <ToVersions />
      <Links path={path} canShare={entry !== undefined && may('share', [entry])} />
      {can('admin') && (
        <ErrorBoundary fallback={(failure) => <ViewFailure level={2} {...failure} />}>
          <FolderRights path={path} />
        </ErrorBoundary>
      )}
    </>
  )
}

function AboutMany({ entries }: { entries: readonly Entry[] }) {
  const { t } = useTranslation()
  const folders = entries.filter(({ isDir }) => isDir)
  // In a loop: there may be more than a call takes arguments.
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { modified } of entries) {
    const time = Date.parse(modified)
    if (!isKnownTime(new Date(time))) continue
    if (time < from) from = time
    if (time > to) to = time
  }
  // Results of a search may come from several folders.
  const above = parentOf(entries[0]?.path ?? '/')
  const isOneFolder = entries.every(({ path }) => parentOf(path) === above)
  const [first, last] = [from, to].map((time) => formatExact(new Date(Number.isFinite(time) ? time : 0)))
  return (
    <DescriptionList
      items={[
        [t('info.numberOfFiles'), formatNumber(entries.length - folders.length)],
        [t('info.numberOfFolders'), formatNumber(folders.length)],
        [t('files.size'), <SizeOfMany key="size" entries={entries} />],
        [t('files.lastModified'), first === last ? first : `${first} – ${last}`],
        ...(isOneFolder ? [[t('info.path'), <Path key="path" path={above} />] as const] : []),
      ]}
    />
  )
}

/** The command acts on what the details are about. */
function ToVersions() {
  const { t } = useTranslation()
  if (useOffered('previous-versions') === undefined) return null
  return (
    <Button look="line" size="small" icon="clock" onClick={() => runById('previous-versions')}>
      {t('change.previousVersions')}
    </Button>
  )
}

/** The exact time, and how long ago that was. */
const Time = ({ at }: { at: string }) => (
  <>
    {formatExact(new Date(at))}
    {isKnownTime(new Date(at)) && (
      <span className={styles.ago}>
        <RelativeTime at={new Date(at)} />
      </span>
    )}
  </>
)

function Path({ path }: { path: string }) {
  const { t } = useTranslation()
  const name = t('info.path')
  return (
    <span className={styles.path}>
      <span dir="ltr">{path}</span>
      <IconButton
        small
        icon="copy"
        label={t('info.copyChecksum', { name })}
        onClick={() => void copyLink(path, t('info.copied', { name }))}
      />
    </span>
  )
}
