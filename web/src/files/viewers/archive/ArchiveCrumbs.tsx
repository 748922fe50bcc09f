import { nameOf, segmentsOf } from '@filestead/contract'
import { useEffect, useRef } from 'react'
import { useTranslation } from '../../../i18n/i18n.ts'
import { Link } from '../../../navigation/Link.tsx'
import type { Entry } from '../../../server/queries/resources.ts'
import look from '../../../ui/Crumbs.module.css'
import { FileMark } from '../../../ui/Icon.tsx'
import { useRovingFocus } from '../../../ui/roving-focus.ts'
import { markOf } from '../../marks/mark-of.ts'
import styles from './ArchiveCrumbs.module.css'
import { placeAddress } from './members.ts'
import type { Place } from './place.ts'

/** The way from the archive to the folder or file of it that is in view. Where it is too long, its end is seen. */
export function ArchiveCrumbs({ archive, place }: { archive: Entry; place: Place }) {
  const { t } = useTranslation()
  const nav = useRef<HTMLElement>(null)
  useRovingFocus(nav)
  const { inside, member } = place
  const folders = segmentsOf(inside).map((_, index, all) => `/${all.slice(0, index + 1).join('/')}`)
  const steps = [
    { name: archive.name, to: { ...place, inside: '/', member: null } },
    ...folders.map((path) => ({ name: nameOf(path), to: { ...place, inside: path, member: null } })),
    ...(member === null ? [] : [{ name: member, to: place }]),
  ]
  // biome-ignore lint/correctness/useExhaustiveDependencies: another way, another end
  useEffect(() => {
    const element = nav.current
    if (element === null) return
    const end = element.scrollWidth - element.clientWidth
    element.scrollLeft = getComputedStyle(element).direction === 'rtl' ? -end : end
  }, [inside, member])
  return (
    <nav ref={nav} aria-label={t('files.breadcrumbs')} className={styles.crumbs}>
      <ol className={styles.list}>
        {steps.map(({ name, to }, index) => (
          <li key={`${to.inside} ${to.member}`} className={look.step}>
            <Link
              to={placeAddress(archive.path, to)}
              className={`${look.crumb} ${styles.crumb}`}
              title={name}
              aria-current={index === steps.length - 1 ? 'page' : undefined}
            >
              {index === 0 && <FileMark name={markOf(archive)} />}
              <bdi>{name}</bdi>
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  )
}
