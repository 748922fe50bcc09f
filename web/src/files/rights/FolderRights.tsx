import type { Grant } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { ask } from '../../dialogs/ask.ts'
import { describeFailure } from '../../dialogs/show-failure.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { withoutMarks } from '../../i18n/placeholders.ts'
import { folderAddress } from '../../navigation/addresses.ts'
import { Link } from '../../navigation/Link.tsx'
import { grantsQuery } from '../../server/queries/grants.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { FailureNote } from '../../ui/FailureNote.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Badge } from '../../ui/Table.tsx'
import { revealWhenListed } from '../../workspace/workspace.ts'
import styles from './FolderRights.module.css'
import { GrantDialog } from './GrantDialog.tsx'
import { isSamePlace, nameOfPlace, type Place, pathOf, placeOf, rootsOf } from './places.ts'
import { RightsButton } from './RightsButton.tsx'
import { type RightsData, useRightsData } from './rights-data.ts'
import { SubjectName } from './SubjectName.tsx'
import { listOfRights, nameOfRights, nameOfSubject } from './subjects.ts'
import { WhyDialog } from './WhyDialog.tsx'
import { type Homes, holdersOf } from './who.ts'

interface FolderRightsProps {
  /** As the administrator sees it. */
  path: string
  /** Shown in any case: otherwise an installation with one root folder and without any grant has nothing to say here. */
  isAsked?: boolean
}

/** "Who can see this": for administrators, in the details of a folder. */
export function FolderRights({ path, isAsked = false }: FolderRightsProps) {
  const { t } = useTranslation()
  const { data, error, retry } = useRightsData()
  const isSingle = data !== undefined && rootsOf(data.mounts).length < 2
  // Whether there is any grant at all.
  const { data: any = [] } = useQuery({
    ...grantsQuery({ limit: 1 }),
    enabled: isSingle && !isAsked,
    staleTime: 10_000,
  })
  const place = data === undefined ? null : placeOf(path, data.mounts)
  if (!isAsked && (data === undefined || (isSingle && any.length === 0))) return null
  if (data === undefined && error === null) return null
  return (
    <section aria-label={t('info.whoCanSee')} className={styles.rights}>
      <header>
        <h3>{t('info.whoCanSee')}</h3>
        {data !== undefined && place !== null && (
          <Button size="small" icon="plus" onClick={() => void ask(GrantDialog, { data, place })}>
            {t('rights.give')}
          </Button>
        )}
      </header>
      {data === undefined && (
        <>
          <FailureNote>{describeFailure(error)}</FailureNote>
          <Button size="small" look="line" icon="retry" onClick={retry}>
            {t('buttons.tryAgain')}
          </Button>
        </>
      )}
      {data !== undefined && place === null && <p className={styles.none}>{t('rights.top')}</p>}
      {data !== undefined && place !== null && <Holders data={data} place={place} />}
    </section>
  )
}

function Holders({ data, place }: { data: RightsData; place: Place }) {
  const { t } = useTranslation()
  const { data: grants, error, refetch } = useQuery({ ...grantsQuery({ ...place, above: true }), staleTime: 10_000 })
  if (error !== null && grants === undefined)
    return (
      <>
        <FailureNote>{describeFailure(error)}</FailureNote>
        <Button size="small" look="line" icon="retry" onClick={() => void refetch()}>
          {t('buttons.tryAgain')}
        </Button>
      </>
    )
  if (grants === undefined) return null
  const holders = holdersOf(place, grants, data)
  return (
    <>
      {holders.grants.length + holders.homes.length === 0 && <p className={styles.none}>{t('rights.nobody')}</p>}
      <ul aria-label={t('info.whoCanSee')}>
        {holders.grants.map((grant) => (
          <Holder key={grant.id} grant={grant} data={data} place={place} />
        ))}
        {holders.homes.map((homes) => (
          <HomeLine key={homes.folder} homes={homes} data={data} />
        ))}
      </ul>
      <Button size="small" icon="help" onClick={() => void ask(WhyDialog, { data, place })}>
        {t('rights.check')}
      </Button>
    </>
  )
}

function Holder({ grant, data, place }: { grant: Grant; data: RightsData; place: Place }) {
  const { t } = useTranslation()
  const name = nameOfSubject(grant)
  const isHere = isSamePlace(grant, place)
  const rights = nameOfRights(grant.rights)
  return (
    <li aria-label={name}>
      <span className={styles.name}>
        <SubjectName of={grant} />
        {!isHere && <Origin place={grant} data={data} />}
      </span>
      {isHere ? (
        <RightsButton of={grant} rights={grant.rights} onClick={() => void ask(GrantDialog, { data, grant })} />
      ) : (
        <Badge look={grant.rights.length === 0 ? 'warn' : 'plain'} data-tip={listOfRights(grant.rights)}>
          {rights}
        </Badge>
      )}
      {/^(user:|guest)/.test(grant.subject) && (
        <IconButton
          small
          icon="help"
          label={withoutMarks(t('rights.why', { name }))}
          onClick={() => void ask(WhyDialog, { data, place, person: grant })}
        />
      )}
    </li>
  )
}

/** The folder above that the rights come from. */
function Origin({ place, data }: { place: Place; data: RightsData }) {
  const { t } = useTranslation()
  const path = pathOf(place, data.mounts)
  const text = t('rights.from', { folder: nameOfPlace(place, data.mounts) })
  return path === null ? (
    <span className={styles.origin}>{text}</span>
  ) : (
    // The details are those of the folder, not of the one that was left in it.
    <Link to={folderAddress(path)} className={styles.origin} onClick={() => revealWhenListed(path, [])}>
      {text}
    </Link>
  )
}

/** So many are named; the others are counted. */
const mostNames = 3

function HomeLine({ homes: { folder, users }, data }: { homes: Homes; data: RightsData }) {
  const { t } = useTranslation()
  const names = users.slice(0, mostNames).map(({ username }) => username)
  const rest = users.length - names.length
  const shown = rest === 0 ? names.join(', ') : t('rights.andMore', { names: names.join(', '), count: rest })
  return (
    <li>
      <span className={styles.name}>
        <span className={styles.home}>
          <Icon name="home" small />
          <bdi>{shown}</bdi>
        </span>
        <span className={styles.origin}>
          {t('rights.home', { folder: nameOfPlace({ mount: 1, folder }, data.mounts) })}
        </span>
      </span>
      <Badge>{t('rights.presets.everything')}</Badge>
    </li>
  )
}
