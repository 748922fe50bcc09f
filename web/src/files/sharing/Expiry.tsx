import { useTranslation } from '../../i18n/i18n.ts'
import { describeEnd } from './duration.ts'

/** When a link ends, in Unix seconds. */
export function Expiry({ expire }: { expire: number }) {
  const { t } = useTranslation()
  if (expire === 0) return t('share.permanent')
  const end = describeEnd(expire)
  if (end.date === null) return end.relative
  return (
    <time dateTime={end.date.toISOString()} title={end.exact}>
      {end.relative}
    </time>
  )
}
