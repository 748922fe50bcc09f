import type { Mount } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { createPortal } from 'react-dom'
import { needTexts } from '../../i18n/i18n.ts'
import { mountsQuery } from '../../server/queries/mounts.ts'
import { can } from '../../server/session.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { useWorkspace } from '../../workspace/workspace.ts'

const KeepQuestion = lazyPart(async () => {
  const [{ KeepQuestion }] = await Promise.all([import('./KeepQuestion.tsx'), needTexts('history')])
  return KeepQuestion
})

/**
 * Asks administrators, above the listing, whether deleted files shall be kept where that is not decided yet. A part of
 * what is loaded after the first screen, which it is put into.
 */
export function KeepQuestionSlot() {
  const isListing = useWorkspace(({ view }) => view === 'listing')
  const { data } = useQuery({ ...mountsQuery(), enabled: can('admin'), staleTime: 60_000, retry: false })
  const undecided = useMemo(() => data?.filter(isUndecided) ?? [], [data])
  const isAsked = isListing && undecided.length > 0
  const [place, setPlace] = useState<Element | null>(null)

  useEffect(() => {
    if (!isAsked) return
    const own = document.createElement('div')
    // The first one in the column of the files, for the eye and for the keyboard.
    document.querySelector('[data-column="files"]')?.prepend(own)
    setPlace(own)
    return () => {
      setPlace(null)
      own.remove()
    }
  }, [isAsked])

  if (!isAsked || place === null) return null
  return createPortal(<KeepQuestion mounts={undecided} />, place)
}

/** Those of a config file are decided there. */
const isUndecided = ({ id, history, isFixed }: Mount): boolean => history?.trash === 'ask' && (id === 1 || !isFixed)
