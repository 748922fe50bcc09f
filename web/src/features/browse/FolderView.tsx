import type { FolderResource } from '@filestead/contract'
import { useEffect } from 'react'
import { enterFolder } from '../../place/place.ts'
import { Panel } from '../../ui/Panel.tsx'

/** `folder` is undefined until the server has answered. */
export function FolderView({ path, folder }: { path: string; folder: FolderResource | undefined }) {
  useEffect(() => {
    if (folder !== undefined) enterFolder(path, folder.items)
  }, [path, folder])

  return (
    <Panel view="listing" isBusy={folder === undefined} header={null}>
      {folder?.items.length}
    </Panel>
  )
}
