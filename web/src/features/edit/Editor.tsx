import type { Resource } from '@filestead/contract'
import { Panel } from '../../ui/Panel.tsx'

export function Editor({ file }: { file: Resource }) {
  return (
    <Panel view="editor" header={null}>
      {file.name}
    </Panel>
  )
}
