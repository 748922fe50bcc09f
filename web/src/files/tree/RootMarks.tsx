import { nameOf } from '@filestead/contract'
import { useEffect } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import type { RootMark } from '../grid/Row.tsx'
import { useMounts } from './mount-rows.ts'
import { StorageMark } from './StorageMark.tsx'

/** Tells the listing at the top what the tree shows of root folders. Loaded beside it, and draws nothing itself. */
export function RootMarks({ onKnown }: { onKnown: (roots: ReadonlyMap<string, RootMark>) => void }) {
  const { t } = useTranslation()
  const mounts = useMounts()
  useEffect(
    () =>
      onKnown(
        new Map(
          Array.from(mounts, ([path, { storage = 'disk', isAway }]) => [
            nameOf(path),
            { picture: <StorageMark kind={storage} />, ...(isAway && { note: t('tree.away') }) },
          ]),
        ),
      ),
    [mounts, onKnown, t],
  )
  return null
}
