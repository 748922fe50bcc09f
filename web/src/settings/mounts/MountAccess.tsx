import type { Grant, Mount } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { useId, useMemo, useRef, useState } from 'react'
import { describeFailure, showFailure } from '../../dialogs/show-failure.ts'
import { type Choice, choicesOfSubjects } from '../../files/rights/choices.ts'
import { PeoplePicker } from '../../files/rights/PeoplePicker.tsx'
import { type PresetName, presets } from '../../files/rights/presets.ts'
import { SubjectName } from '../../files/rights/SubjectName.tsx'
import { listOfRights, nameOfRights, nameOfSubject } from '../../files/rights/subjects.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { withoutMarks } from '../../i18n/placeholders.ts'
import { Link } from '../../navigation/Link.tsx'
import { useUnsavedChanges } from '../../navigation/unsaved-changes.ts'
import { grantsQuery, removeGrant, saveGrant } from '../../server/queries/grants.ts'
import { groupsQuery } from '../../server/queries/groups.ts'
import { usersQuery } from '../../server/queries/users.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { FailureNote } from '../../ui/FailureNote.tsx'
import { Badge } from '../../ui/Table.tsx'
import { toastSuccess } from '../../ui/toasts.ts'
import cards from '../forms/ChoiceCards.module.css'
import { useBusy } from '../forms/draft.ts'
import { Note } from '../forms/Note.tsx'
import styles from './MountAccess.module.css'

interface MountAccessProps {
  mount: Mount
  /** No account can see it yet: the question stands above everything else. */
  isFirstStep: boolean
  /** It stands above the form, not below it. */
  isOnTop: boolean
}

/** More than one looks through: the page about access has the rest. */
const mostShown = 50

/** Who may use all of a root folder, and the way to let more people in. Each change counts at once. */
export function MountAccess({ mount, isFirstStep, isOnTop }: MountAccessProps) {
  const { t } = useTranslation()
  const title = useId()
  const section = useRef<HTMLElement>(null)
  const { data: grants = [], error } = useQuery(grantsQuery({ mount: mount.id, folder: '/' }))
  return (
    <section
      ref={section}
      aria-labelledby={title}
      className={styles.access}
      data-first={isFirstStep}
      data-top={isOnTop}
    >
      <header>
        <h3 id={title}>
          {isFirstStep ? t('settings.mounts.whoTitle', { name: mount.name }) : t('settings.mounts.who')}
        </h3>
        <p>
          {isFirstStep
            ? t('settings.mounts.whoNobody')
            : mount.id === 1
              ? t('settings.mounts.whoHomes')
              : t('settings.mounts.whoText')}
        </p>
      </header>
      {mount.readOnly && <Note>{t('settings.mounts.whoReadOnly')}</Note>}
      {error !== null && <FailureNote>{describeFailure(error)}</FailureNote>}
      {grants.length > 0 && (
        <ul className={styles.list} aria-label={t('settings.mounts.who')}>
          {grants.slice(0, mostShown).map((grant) => (
            <Holder
              key={grant.id}
              grant={grant}
              // The button that was pressed goes with its row.
              onRemoved={() => section.current?.querySelector('input')?.focus()}
            />
          ))}
        </ul>
      )}
      <Give mount={mount} />
      {!isFirstStep && (
        <Link to={`/settings/access?mount=${mount.id}`} className={styles.link}>
          {t('settings.mounts.moreAccess')}
        </Link>
      )}
    </section>
  )
}

function Holder({ grant, onRemoved }: { grant: Grant; onRemoved: () => void }) {
  const { t } = useTranslation()
  const name = nameOfSubject(grant)
  const removal = useBusy(async () => {
    await removeGrant(grant.id)
    toastSuccess(t('settings.mounts.removedAccess', { name }))
    onRemoved()
  })
  return (
    <li>
      <SubjectName of={grant} />
      <Badge title={listOfRights(grant.rights)}>{nameOfRights(grant.rights)}</Badge>
      <IconButton icon="x" label={withoutMarks(t('settings.mounts.removeAccess', { name }))} {...removal} />
    </li>
  )
}

/** Letter boxes and closed folders are made on the page about access: a whole root folder is seldom one. */
const offered: readonly PresetName[] = ['look', 'download', 'work', 'everything']

/** One person or group, and what it may do. */
function Give({ mount }: { mount: Mount }) {
  const { t } = useTranslation()
  const group = useId()
  const { data: users = [] } = useQuery(usersQuery())
  const { data: groups = [] } = useQuery(groupsQuery())
  const choices = useMemo(() => choicesOfSubjects(users, groups), [users, groups])
  const [subject, setSubject] = useState<Choice | null>(null)
  const [preset, setPreset] = useState<PresetName>('download')
  const [wasTried, setWasTried] = useState(false)
  const [isBusy, setIsBusy] = useState(false)

  async function give(): Promise<boolean> {
    setWasTried(true)
    const rights = presets.find(({ name }) => name === preset)?.rights
    if (isBusy || subject === null || rights === undefined) return false
    setIsBusy(true)
    try {
      await saveGrant({ subject: subject.key, mount: mount.id, folder: '/', rights: [...rights] })
      toastSuccess(t('settings.mounts.given', { name: subject.label }))
      setSubject(null)
      setWasTried(false)
      return true
    } catch (error) {
      showFailure(error)
      return false
    } finally {
      setIsBusy(false)
    }
  }

  useUnsavedChanges(subject !== null, { save: give })

  return (
    <form
      aria-label={t('settings.mounts.give')}
      className={styles.give}
      onSubmit={(event) => {
        event.preventDefault()
        void give()
      }}
    >
      <PeoplePicker
        label={t('settings.mounts.subject')}
        choices={choices}
        value={subject}
        error={wasTried && subject === null ? t('settings.mounts.noSubject') : undefined}
        onPick={setSubject}
      />
      <div role="radiogroup" aria-label={t('settings.mounts.rights')} className={`${cards.cards} ${styles.presets}`}>
        {offered.map((name) => (
          <label key={name}>
            <input
              type="radio"
              name={group}
              aria-label={t(`rights.presets.${name}`)}
              aria-describedby={`${group}-${name}`}
              checked={preset === name}
              onChange={() => setPreset(name)}
            />
            <span>
              {t(`rights.presets.${name}`)}
              <small id={`${group}-${name}`}>{t(`rights.presetHelp.${name}`)}</small>
            </span>
          </label>
        ))}
      </div>
      <div>
        <Button type="submit" look="primary" isBusy={isBusy}>
          {t('settings.mounts.give')}
        </Button>
      </div>
    </form>
  )
}
