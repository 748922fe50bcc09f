import { Panel } from '../../ui/Panel.tsx'

export type SettingsTab =
  | { name: 'profile' | 'shares' | 'global' | 'users' }
  /** `id` is null for a user who does not exist yet. */
  | { name: 'user'; id: number | null }

export function SettingsScreen({ tab }: { tab: SettingsTab }) {
  return (
    <Panel view="settings" header={null}>
      {tab.name}
    </Panel>
  )
}
