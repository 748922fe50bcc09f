import { Panel } from '../../ui/Panel.tsx'

export function ShareScreen() {
  return (
    <Panel view="share" header={null}>
      share
    </Panel>
  )
}
