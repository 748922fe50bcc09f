import { useTranslation } from '../../i18n/i18n.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { describeEnd } from './duration.ts'

/** When a link ends, in Unix seconds: "Expires tomorrow", or "Permanent". */
export function Expiry({ expire }: { expire: number }) {
  const { t } = useTranslation()
  if (expire === 0) return t('share.permanent')
  const end = describeEnd(expire)
  const say = (when: string) => t('share.ends', { when })
  return end.date === null ? say(end.relative) : <RelativeTime at={end.date} text={say} />
}
