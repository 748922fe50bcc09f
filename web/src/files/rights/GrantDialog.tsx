import type { Grant, Right, Subject } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { ask, type QuestionProps } from '../../dialogs/ask.ts'
import { Confirmation } from '../../dialogs/Confirmation.tsx'
import { QuestionDialog } from '../../dialogs/QuestionDialog.tsx'
import { describeFailure } from '../../dialogs/show-failure.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { changeGrant, grantsQuery, removeGrant, saveGrant } from '../../server/queries/grants.ts'
import { Button } from '../../ui/Button.tsx'
import { FailureNote } from '../../ui/FailureNote.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { choicesOfSubjects } from './choices.ts'
import { FolderField } from './FolderField.tsx'
import styles from './GrantDialog.module.css'
import { PeoplePicker } from './PeoplePicker.tsx'
import { isSamePlace, nameOfPlace, type Place, plainFolder } from './places.ts'
import { completed, presets } from './presets.ts'
import { RightsField } from './RightsField.tsx'
import type { RightsData } from './rights-data.ts'
import { SubjectName } from './SubjectName.tsx'
import { nameOfRights, nameOfSubject } from './subjects.ts'
import { type GrantTerms, losersOf, rightsOf } from './who.ts'

interface GrantQuestion {
  data: RightsData
  /** One that is there already. */
  grant?: Grant
  /** Known before: the folder, or who it is for. Otherwise the dialog asks. */
  place?: Place
  subject?: Pick<Grant, 'subject' | 'name'>
}

const firstChoice = presets.find(({ name }) => name === 'download')?.rights ?? []

/** Who may do what in a folder. Sends it, and stays open with what was chosen where the server refuses. */
export function GrantDialog({
  data,
  grant,
  place: given,
  subject: person,
  answer,
}: QuestionProps<GrantQuestion, true>) {
  const { t } = useTranslation()
  const form = useId()
  const [subject, setSubject] = useState(grant ?? person ?? null)
  const [place, setPlace] = useState<Place>(grant ?? given ?? { mount: data.mounts[0]?.id ?? 1, folder: '/' })
  const [rights, setRights] = useState<readonly Right[]>(grant?.rights ?? firstChoice)
  const [isBusy, setIsBusy] = useState(false)
  const [wasTried, setWasTried] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const target = { mount: place.mount, folder: plainFolder(place.folder) }
  const { data: known = [] } = useQuery(grantsQuery({ ...target, above: true }))
  const others = known.filter((each) => !isSamePlace(each, target) || each.subject !== subject?.subject)
  const replaced = grant === undefined ? known.find((each) => !others.includes(each)) : undefined

  const next =
    subject === null ? known : [...others, { ...target, subject: subject.subject, rights: completed(rights) }]
  const losers = losersOf(target, { before: known, after: next }, data)

  /** Would the administrator no longer see the folder with these grants? */
  function takesOwnSight(after: readonly GrantTerms[]): boolean {
    const { self, groups } = data
    if (self === undefined) return false
    const seesWith = (grants: readonly GrantTerms[]) => rightsOf(self, target, grants, groups).includes('see')
    return seesWith(known) && !seesWith(after)
  }

  async function send(work: () => Promise<unknown>) {
    setIsBusy(true)
    setFailure(null)
    try {
      await work()
      answer(true)
    } catch (error) {
      setFailure(describeFailure(error))
      setIsBusy(false)
    }
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    setWasTried(true)
    if (subject === null || isBusy) return
    const wanted = completed(rights)
    // By its id: the grant may have followed its folder to another place meanwhile.
    if (grant !== undefined) void send(() => changeGrant(grant.id, wanted))
    else void send(() => saveGrant({ ...target, subject: subject.subject, rights: wanted }))
  }

  async function remove(id: number) {
    const words = { title: t('rights.remove'), cancel: t('buttons.cancel'), confirm: t('rights.remove') }
    if (takesOwnSight(others) && (await ask(Confirmation, { ...words, text: t('rights.losesSight') })) === null) return
    await send(() => removeGrant(id))
  }

  return (
    <QuestionDialog
      title={grant === undefined ? t('rights.give') : t('rights.edit', { name: nameOfSubject(grant) })}
      width="wide"
      answer={answer}
      asideAction={
        grant === undefined ? undefined : (
          <Button look="danger-quiet" onClick={() => void remove(grant.id)}>
            {t('rights.remove')}
          </Button>
        )
      }
      actions={
        <Button type="submit" form={form} look="primary" isBusy={isBusy}>
          {t('buttons.save')}
        </Button>
      }
    >
      <form id={form} className={styles.form} noValidate onSubmit={submit}>
        {grant === undefined && person === undefined ? (
          <PeoplePicker
            label={t('rights.whom')}
            choices={choicesOfSubjects(data.users, data.groups)}
            value={subject === null ? null : choiceOf(data, subject.subject)}
            {...(wasTried && subject === null && { error: t('rights.noSubject') })}
            onPick={({ key, label }) => setSubject({ subject: key, name: label })}
          />
        ) : (
          subject !== null && <SubjectName of={subject} />
        )}
        {grant === undefined && given === undefined ? (
          <FolderField value={place} mounts={data.mounts} onChange={setPlace} />
        ) : (
          <p className={styles.folder}>
            <Icon name="folder" />
            <bdi dir="ltr">{nameOfPlace(target, data.mounts)}</bdi>
          </p>
        )}
        <RightsField value={rights} onChange={setRights} />
        {replaced !== undefined && (
          <p className={styles.note}>{t('rights.replaces', { rights: nameOfRights(replaced.rights) })}</p>
        )}
        {subject?.subject === 'guest' && rights.length > 0 && (
          <Warning>
            {rights.some((right) => right !== 'see' && right !== 'download')
              ? t('rights.guestsChange')
              : t('rights.guestsOpen')}
          </Warning>
        )}
        {takesOwnSight(next) && <Warning>{t('rights.losesSight')}</Warning>}
        {losers[0] !== undefined && (
          <p role="status" className={styles.note}>
            {losers.length === 1
              ? t('rights.loser', { name: losers[0].username })
              : t('rights.losers', { count: losers.length, name: losers[0].username })}
          </p>
        )}
        {failure !== null && <FailureNote>{failure}</FailureNote>}
      </form>
    </QuestionDialog>
  )
}

const Warning = ({ children }: { children: string }) => (
  <p role="status" className={styles.warning}>
    <Icon name="warn" small />
    {children}
  </p>
)

const choiceOf = ({ users, groups }: RightsData, subject: Subject) =>
  choicesOfSubjects(users, groups).find(({ key }) => key === subject) ?? null
