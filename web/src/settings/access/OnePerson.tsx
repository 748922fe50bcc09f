import type { Grant, Subject, User } from '@filestead/contract'
import { useState } from 'react'
import { ask } from '../../dialogs/ask.ts'
import { showFailure } from '../../dialogs/show-failure.ts'
import { type Choice, choicesOfSubjects, idOf } from '../../files/rights/choices.ts'
import { FolderDialog } from '../../files/rights/FolderDialog.tsx'
import { FolderLink } from '../../files/rights/FolderLink.tsx'
import { PeoplePicker } from '../../files/rights/PeoplePicker.tsx'
import { isSamePlace, nameOfPlace, type Place, plainFolder, rootsOf } from '../../files/rights/places.ts'
import type { RightsData } from '../../files/rights/rights-data.ts'
import { WhyText } from '../../files/rights/WhyText.tsx'
import { subjectsOf } from '../../files/rights/who.ts'
import { compareNames } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { Button } from '../../ui/Button.tsx'
import styles from './OnePerson.module.css'

/** So many folders at once, each of which the server is asked about. */
const step = 20

/** What one person can do in the end, folder by folder, and why. */
export function OnePerson({ data, grants }: { data: RightsData; grants: readonly Grant[] }) {
  const { t } = useTranslation()
  const [person, setPerson] = useState<Choice | null>(null)
  // Groups have no rights in the end: their members do.
  const choices = choicesOfSubjects(data.users, data.groups).filter(({ key }) => /^(user:|guest)/.test(key))
  return (
    <>
      <div className={styles.person}>
        <PeoplePicker label={t('rights.person')} choices={choices} value={person} onPick={setPerson} />
      </div>
      {person === null ? (
        <p className={styles.none}>{t('rights.personText')}</p>
      ) : (
        <FoldersOf key={person.key} subject={person.key} data={data} grants={grants} />
      )}
    </>
  )
}

function FoldersOf({ subject, data, grants }: { subject: Subject; data: RightsData; grants: readonly Grant[] }) {
  const { t } = useTranslation()
  const [count, setCount] = useState(step)
  const [added, setAdded] = useState<readonly Place[]>([])
  const user = subject === 'guest' ? null : data.users.find(({ id }) => id === idOf(subject))
  if (user === undefined) return null
  const places = [
    ...added,
    ...placesOf(user, data, grants).filter((place) => !added.some((each) => isSamePlace(each, place))),
  ]

  async function add() {
    const picked = await ask(FolderDialog, { mounts: data.mounts })
    if (picked !== null) setAdded((all) => [picked, ...all.filter((place) => !isSamePlace(place, picked))])
  }

  return (
    <>
      <div className={styles.add}>
        <Button look="line" icon="folder" onClick={() => void add().catch(showFailure)}>
          {t('rights.checkFolder')}
        </Button>
      </div>
      <ul className={styles.folders} aria-label={t('rights.byPerson')}>
        {places.slice(0, count).map((place) => (
          <li key={`${place.mount}:${place.folder}`} aria-label={nameOfPlace(place, data.mounts)}>
            <FolderLink place={place} data={data} />
            <WhyText subject={subject} place={place} />
          </li>
        ))}
      </ul>
      {places.length > count && (
        <Button look="link" onClick={() => setCount(count + step)}>
          {t('rights.picker.showMore', { count: places.length - count })}
        </Button>
      )}
    </>
  )
}

/** Where something is decided for a person: the home, each root folder, and folders with grants. `null` is a guest. */
function placesOf(user: User | null, { mounts, groups }: RightsData, grants: readonly Grant[]): Place[] {
  const own = user === null ? new Set<Subject>(['guest']) : subjectsOf(user, groups)
  const found = new Map<string, Place>()
  const add = ({ mount, folder }: Place) => found.set(`${mount}:${folder}`, { mount, folder })
  if (user !== null) add({ mount: 1, folder: plainFolder(user.scope) })
  for (const { id } of rootsOf(mounts)) add({ mount: id, folder: '/' })
  for (const grant of grants) if (own.has(grant.subject)) add(grant)
  return [...found.values()].sort((a, b) => compareNames(nameOfPlace(a, mounts), nameOfPlace(b, mounts)))
}
