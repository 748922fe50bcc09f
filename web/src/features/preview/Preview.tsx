import type { Resource } from '@filestead/contract'
import { Panel } from '../../ui/Panel.tsx'

export function Preview({ file }: { file: Resource }) {
  return (
    <Panel view="preview" header={null}>
      {file.name}
    </Panel>
  )
}
