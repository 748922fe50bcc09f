import { nameOf, parentOf } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { describeFailure } from '../../../dialogs/show-failure.ts'
import { type TextKey, useTranslation } from '../../../i18n/i18n.ts'
import { navigate, useLocation } from '../../../navigation/location.ts'
import { ApiError } from '../../../server/client.ts'
import { archiveQuery } from '../../../server/queries/archives.ts'
import { inPast, type PastRef } from '../../../server/queries/past.ts'
import { type Entry, rawUrl } from '../../../server/queries/resources.ts'
import type { ShownSorting } from '../../grid/sorting.ts'
import { markOf } from '../../marks/mark-of.ts'
import { NoPreview } from '../NoPreview.tsx'
import { Loading } from '../ViewerParts.tsx'
import { ArchiveList } from './ArchiveList.tsx'
import styles from './ArchiveViewer.module.css'
import { MemberView } from './MemberView.tsx'
import { memberOf, placeAddress } from './members.ts'
import { type Place, placeOf } from './place.ts'

interface ArchiveViewerProps {
  file: Entry
  /** Goes to the folder of the archive. */
  onClose(): void
}

/** What is in an archive, as if it were a folder that cannot be changed. */
export function ArchiveViewer({ file, onClose }: ArchiveViewerProps) {
  const { search } = useLocation()
  const place = useMemo(() => placeOf(search), [search])
  const { inside, member: opened, encoding, shown } = place
  const past = shown?.past ?? null
  const { data: listing, error } = useQuery(archiveQuery(file, inside, encoding, past))
  const members = useMemo(() => listing?.entries.map((entry) => memberOf(inside, entry)) ?? [], [listing, inside])
  const [order, setOrder] = useState<ShownSorting>({ by: 'name', direction: 'ascending' })
  const cameFrom = useCameFrom(place)

  const go = (to: Partial<Place>, options?: { replace: boolean }) =>
    void navigate(placeAddress(file.path, { inside, encoding, shown, member: null, ...to }), options)
  const goUp = () => (inside === '/' ? onClose() : go({ inside: parentOf(inside) }))

  if (error !== null) return <Failed file={file} past={past} error={error} isBelow={inside !== '/'} />
  if (listing === undefined) return <Loading />
  const member = members.find(({ name, isDir }) => name === opened && !isDir)
  if (member !== undefined)
    return <MemberView key={member.path} archive={file} place={place} member={member} members={members} onGo={go} />
  return (
    <ArchiveList
      key={`${inside} ${encoding}`}
      archive={file}
      place={place}
      listing={listing}
      members={members}
      order={order}
      onOrder={setOrder}
      cameFrom={cameFrom}
      onGo={go}
      onUp={goUp}
    />
  )
}

/** The entry of the folder in view that was left last: it is selected, as it is in a listing. */
function useCameFrom({ inside, member }: Place): string | null {
  const [last, setLast] = useState({ inside, member, from: null as string | null })
  if (last.inside === inside && last.member === member) return last.from
  const isUp = last.inside !== inside && parentOf(last.inside) === inside
  const from = isUp ? nameOf(last.inside) : last.inside === inside ? last.member : null
  setLast({ inside, member, from })
  return from
}

const reasons: Partial<Record<string, TextKey>> = {
  invalid: 'archives.broken',
  'unsupported-type': 'archives.unsupported',
  'too-large': 'archives.tooLarge',
}

function Failed({ file, past, error, isBelow }: { file: Entry; past: PastRef | null; error: Error; isBelow: boolean }) {
  const { t } = useTranslation()
  const code = error instanceof ApiError ? (error.code ?? '') : ''
  const reason = code === 'not-found' && isBelow ? 'archives.notInside' : reasons[code]
  return (
    <div className={styles.failed}>
      <NoPreview
        title={reason === undefined ? describeFailure(error) : t(reason)}
        file={file}
        mark={markOf(file)}
        links={{ download: inPast(rawUrl(file.path), past), open: null, text: null }}
        isExpected={false}
      />
    </div>
  )
}
