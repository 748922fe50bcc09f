import type { Grant, Right } from '@filestead/contract'
import { useTranslation } from '../../i18n/i18n.ts'
import { withoutMarks } from '../../i18n/placeholders.ts'
import { Icon } from '../../ui/Icon.tsx'
import { NamedText } from '../../ui/NamedText.tsx'
import styles from './RightsButton.module.css'
import { listOfRights, nameOfRights, nameOfSubject } from './subjects.ts'

interface RightsButtonProps {
  of: Pick<Grant, 'subject' | 'name'>
  rights: readonly Right[]
  onClick: () => void
}

/** The rights of a subject, to be changed. */
export function RightsButton({ of, rights, onClick }: RightsButtonProps) {
  const { t } = useTranslation()
  return (
    <button
      type="button"
      className={styles.rights}
      aria-description={`${nameOfRights(rights)}: ${listOfRights(rights)}`}
      data-tip={listOfRights(rights)}
      data-nothing={rights.length === 0}
      onClick={onClick}
    >
      <NamedText name={withoutMarks(t('rights.edit', { name: nameOfSubject(of) }))} shown={nameOfRights(rights)} />
      <Icon name="chevron-down" small />
    </button>
  )
}
