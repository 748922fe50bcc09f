import type { Grant } from '@filestead/contract'
import { Avatar } from '../../ui/Avatar.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { titleWhereCut } from '../../ui/title-where-cut.ts'
import styles from './SubjectName.module.css'
import { iconOfSubject, nameOfSubject } from './subjects.ts'

/** A person, a group, everybody or guests, with a mark that tells which. */
export function SubjectName({ of }: { of: Pick<Grant, 'subject' | 'name'> }) {
  const icon = iconOfSubject(of.subject)
  const name = nameOfSubject(of)
  return (
    <span className={styles.subject}>
      {icon === null ? (
        <Avatar name={name} />
      ) : (
        <span className={styles.mark}>
          <Icon name={icon} small />
        </span>
      )}
      <bdi onPointerEnter={titleWhereCut}>{name}</bdi>
    </span>
  )
}
