import { useMemo, useState } from 'react'
import { useKeys } from '../../../commands/keyboard.ts'
import { formatSize } from '../../../i18n/format.ts'
import { useTranslation } from '../../../i18n/i18n.ts'
import { returnTo } from '../../../navigation/return-to.ts'
import type { Entry } from '../../../server/queries/resources.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { isRightToLeft } from '../../../ui/direction.ts'
import { Toolbar } from '../../../ui/Toolbar.tsx'
import { saveFile } from '../../download/save.ts'
import { previewKind } from '../../formats/kinds.ts'
import { markOf } from '../../marks/mark-of.ts'
import { NoPreview } from '../NoPreview.tsx'
import type { Neighbours } from '../neighbours.ts'
import type { Step } from '../stepping.ts'
import { Viewer } from '../Viewer.tsx'
import { ArchiveCrumbs } from './ArchiveCrumbs.tsx'
import styles from './ArchiveViewer.module.css'
import { type Member, memberSource, placeAddress } from './members.ts'
import type { Place } from './place.ts'

interface MemberViewProps {
  archive: Entry
  place: Place
  member: Member
  /** All entries of its folder. */
  members: readonly Member[]
  onGo(to: Partial<Place>, options?: { replace: boolean }): void
}

/** Viewers that read the whole file would unpack it into the memory of the browser. */
const largest = 64 * 1024 * 1024

/** Every look at a file unpacks it: those beside it are not loaded ahead. */
const alone: Neighbours = { previous: null, next: null, all: [], position: -1 }

/** One file of an archive, unpacked by the server while it is looked at. */
export function MemberView({ archive, place, member, members, onGo }: MemberViewProps) {
  const { t } = useTranslation()
  const source = useMemo(() => memberSource(archive.path, place), [archive.path, place])
  const [, setIsPlaying] = useState(false)
  const kind = previewKind(member)
  const isStreamed = kind === 'video' || kind === 'audio'
  const reason = member.isEncrypted
    ? t('archives.encrypted')
    : member.size > largest && !isStreamed
      ? t('preview.tooLarge', { limit: formatSize(largest) })
      : null

  const close = () => void returnTo(placeAddress(archive.path, { ...place, member: null }))
  function step(direction: Step) {
    const files = members.filter(({ isDir }) => !isDir)
    const next = files[files.findIndex(({ name }) => name === member.name) + direction]
    if (next !== undefined) onGo({ member: next.name }, { replace: true })
  }

  return (
    <div className={styles.archive} data-archive="member">
      <MemberKeys onClose={close} onStep={step} />
      <ArchiveCrumbs archive={archive} place={place} />
      <Toolbar label={t('archives.tools')} className={styles.actions}>
        {!member.isEncrypted && (
          <IconButton
            small
            icon="download"
            label={t('download.download')}
            onClick={() => saveFile(source.download(member))}
          />
        )}
        <IconButton small icon="x" label={t('archives.closeMember')} hint="Esc" onClick={close} />
      </Toolbar>
      <div className={styles.member} data-kind={kind}>
        {reason !== null && (
          <NoPreview title={reason} file={member} mark={markOf(member)} links={null} isExpected={false} />
        )}
        {reason === null && (
          <Viewer
            source={source}
            file={member}
            neighbours={alone}
            onStep={step}
            onOpen={() => {}}
            onPlaying={setIsPlaying}
          />
        )}
      </div>
    </div>
  )
}

/** Stands before the viewer, whose own keys come first. */
function MemberKeys({ onClose, onStep }: { onClose(): void; onStep(step: Step): void }) {
  const forward = () => onStep(1)
  const back = () => onStep(-1)
  const [right, left] = isRightToLeft() ? [back, forward] : [forward, back]
  useKeys({
    Escape: onClose,
    Backspace: onClose,
    'Alt+ArrowUp': onClose,
    ArrowRight: right,
    ArrowLeft: left,
    Enter: forward,
  })
  return null
}
