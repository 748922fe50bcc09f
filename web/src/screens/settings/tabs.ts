export type SettingsTab =
  | { name: 'profile' | 'shares' | 'global' | 'users' }
  /** `id` is null for a user who does not exist yet. */
  | { name: 'user'; id: number | null }
