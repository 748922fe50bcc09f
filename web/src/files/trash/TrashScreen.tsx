import { useEffect } from 'react'
import { filesPathOf } from '../../navigation/addresses.ts'
import type { Address } from '../../navigation/location.ts'
import { pastOf } from '../../navigation/past-address.ts'
import { leaveFiles } from '../../workspace/workspace.ts'
import { TrashFolder } from './TrashFolder.tsx'
import { TrashList } from './TrashList.tsx'

/** /trash, and below it the folders that lie in it. Commands act on files that are there: here there are none. */
export function TrashScreen({ address }: { address: Address }) {
  useEffect(() => leaveFiles(), [])
  const shown = pastOf(address)
  const path = filesPathOf(address)
  if (shown === null || path === '/') return <TrashList />
  return <TrashFolder key={`${shown.past} ${path}`} path={path} shown={{ ...shown, top: shown.top ?? path }} />
}
