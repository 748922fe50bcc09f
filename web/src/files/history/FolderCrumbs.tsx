import { nameOf, parentOf } from '@filestead/contract'
import { Fragment } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import styles from './FolderCrumbs.module.css'

interface FolderCrumbsProps {
  top: string
  path: string
  onOpen(path: string): void
}

/** The way from the folder that it began with, in the same time. */
export function FolderCrumbs({ top, path, onOpen }: FolderCrumbsProps) {
  const { t } = useTranslation()
  const below = path === top ? [] : path.slice(top === '/' ? 1 : top.length + 1).split('/')
  const folders = below.map((_, at) => `${top === '/' ? '' : top}/${below.slice(0, at + 1).join('/')}`)
  return (
    <span className={styles.crumbs}>
      {top !== '/' && parentOf(top) !== '/' && <bdi>{parentOf(top)} /</bdi>}
      {[top, ...folders].map((folder, at) => (
        <Fragment key={folder}>
          {at > 0 && <span aria-hidden="true">/</span>}
          {folder === path ? (
            <bdi className={styles.here}>{nameOf(folder) || t('frame.myFiles')}</bdi>
          ) : (
            <button type="button" className={styles.crumb} onClick={() => onOpen(folder)}>
              <bdi>{nameOf(folder) || t('frame.myFiles')}</bdi>
            </button>
          )}
        </Fragment>
      ))}
    </span>
  )
}
