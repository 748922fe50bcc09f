import type { Mount } from '@filestead/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { rootsOf } from '../../files/rights/places.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { mountsQuery } from '../../server/queries/mounts.ts'
import { Button } from '../../ui/Button.tsx'
import { useBusy } from '../forms/draft.ts'
import { Section } from '../forms/Form.tsx'
import { NotThere } from '../forms/ListPage.tsx'
import { Note } from '../forms/Note.tsx'
import { Page } from '../forms/Page.tsx'
import { deleteMount } from './change-mount.ts'
import { MountAccess } from './MountAccess.tsx'
import { MountForm } from './MountForm.tsx'
import styles from './MountPage.module.css'
import { exampleAddress, isFirst } from './mount-fields.ts'

/** `id` is null for a root folder that is not there yet. */
export function MountPage({ id }: { id: number | null }) {
  const { t } = useTranslation()
  const { data } = useSuspenseQuery(mountsQuery())
  const mounts = rootsOf(data)
  const mount = mounts.find((each) => each.id === id)
  if (id !== null && mount === undefined)
    return <NotThere list="/settings/mounts">{t('settings.mounts.title')}</NotThere>
  return (
    <Page
      title={mount === undefined ? t('settings.mounts.newTitle') : t('settings.mounts.known', { name: mount.name })}
      tabTitle={t('settings.mounts.one')}
    >
      {mount === undefined ? <New mounts={mounts} /> : <Known key={id} mount={mount} mounts={mounts} />}
    </Page>
  )
}

interface MountsProps {
  /** All that are there. */
  mounts: readonly Mount[]
}

function New({ mounts }: MountsProps) {
  const { t } = useTranslation()
  const [first, ...others] = mounts
  return (
    <>
      {first !== undefined && others.length === 0 && (
        <Note title={t('settings.mounts.secondTitle')}>
          {t('settings.mounts.second', { before: exampleAddress('a.txt'), after: exampleAddress(first.name, 'a.txt') })}
        </Note>
      )}
      <MountForm mount={null} />
    </>
  )
}

/** Without any grant the question who may use it comes first, and stays there until the page is left. */
function Known({ mount, mounts }: MountsProps & { mount: Mount }) {
  const { t } = useTranslation()
  const isUnused = !isFirst(mount) && mount.subjects === 0
  const [isAccessFirst] = useState(isUnused)
  const access = <MountAccess key="access" mount={mount} isFirstStep={isUnused} isOnTop={isAccessFirst} />
  const removal = useBusy(() => deleteMount(mount, mounts.length === 2))
  return (
    <>
      {isAccessFirst && access}
      <MountForm key="form" mount={mount} />
      {!isAccessFirst && access}
      {!isFirst(mount) && mount.isFixed !== true && (
        <div key="removal" className={styles.removal}>
          <Section title={t('settings.mounts.remove')} text={t('settings.mounts.removeText')}>
            <div>
              <Button look="line" icon="trash" {...removal}>
                {t('settings.mounts.removeButton')}
              </Button>
            </div>
          </Section>
        </div>
      )}
    </>
  )
}
