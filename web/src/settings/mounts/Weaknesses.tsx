import { useTranslation } from '../../i18n/i18n.ts'
import { Note } from '../forms/Note.tsx'

/** What a storage cannot promise, in sentences of the server. */
export function Weaknesses({ of }: { of: readonly string[] }) {
  const { t } = useTranslation()
  if (of.length === 0) return null
  return <Note title={t('settings.mounts.weaknesses')}>{of.join(' ')}</Note>
}
