import type { Right } from '@filestead/contract'
import { useTranslation } from '../../i18n/i18n.ts'
import { Icon } from '../../ui/Icon.tsx'
import { allRights } from './presets.ts'
import styles from './RightsMarks.module.css'

/** All six rights, each as one that is there or one that is not. */
export function RightsMarks({ rights }: { rights: readonly Right[] }) {
  const { t } = useTranslation()
  return (
    <ul className={styles.marks} aria-label={t('rights.choose')}>
      {allRights.map((right) => {
        const isThere = rights.includes(right)
        const name = t(`rights.names.${right}`)
        return (
          <li key={right} data-there={isThere} aria-label={isThere ? name : t('rights.not', { right: name })}>
            <Icon name={isThere ? 'check' : 'minus'} small />
            {name}
          </li>
        )
      })}
    </ul>
  )
}
