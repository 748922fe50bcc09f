import type { Group, Subject } from '@filestead/contract'
import { useMemo } from 'react'
import { choicesOfGroups, idOf } from '../../files/rights/choices.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { Link } from '../../navigation/Link.tsx'
import { inOrder } from '../forms/merged.ts'
import { ChosenList } from '../groups/ChosenList.tsx'
import styles from './GroupsField.module.css'

interface GroupsFieldProps {
  value: readonly number[]
  groups: readonly Group[]
  onChange: (value: number[]) => void
}

/** The groups of a user. Those that a directory keeps are shown, and changed there. */
export function GroupsField({ value, groups, onChange }: GroupsFieldProps) {
  const { t } = useTranslation()
  const choices = useMemo(() => choicesOfGroups(groups), [groups])
  const fixed = new Map<Subject, string>(
    groups
      .filter(({ source }) => source !== 'local')
      .map(({ id, source }) => [`group:${id}`, t(`settings.groups.sources.${source}`)]),
  )
  if (groups.length === 0)
    return (
      <p className={styles.none}>
        {t('settings.user.noGroups')}{' '}
        <Link to="/settings/groups/new" className={styles.link}>
          {t('settings.groups.new')}
        </Link>
      </p>
    )
  return (
    <ChosenList
      label={t('settings.groups.title')}
      addLabel={t('settings.user.addGroup')}
      none={t('settings.user.inNoGroup')}
      choices={choices}
      chosen={new Set(value.map((id) => `group:${id}`))}
      fixed={fixed}
      onChange={(chosen) => onChange(inOrder([...chosen].map(idOf)))}
    />
  )
}
