import type { StorageKind } from '@filestead/contract'
import { FileMark } from '../../ui/Icon.tsx'
import styles from './StorageMark.module.css'

const drawings = {
  s3: (
    <>
      <path d="m4 6.5 1.6 11.6A2.2 2.2 0 0 0 7.8 20h8.4a2.2 2.2 0 0 0 2.2-1.9L20 6.5" fill="var(--tint)" />
      <ellipse cx="12" cy="6.25" rx="8" ry="2.5" fill="var(--tint)" />
    </>
  ),
  sftp: (
    <>
      <rect x="3" y="4" width="18" height="6.75" rx="2" fill="var(--tint)" />
      <rect x="3" y="13.25" width="18" height="6.75" rx="2" fill="var(--tint)" />
      <path d="M6.75 7.4h.01M6.75 16.6h.01M12 7.4h5.25M12 16.6h5.25" />
    </>
  ),
}

/** What kind of storage a root folder is in. Has no accessible name: the name of the folder, or words, are beside it. */
export const StorageMark = ({ kind }: { kind: StorageKind }) =>
  kind === 'disk' ? (
    <FileMark name="folder" />
  ) : (
    <svg className={styles.mark} data-mark={kind} viewBox="0 0 24 24" aria-hidden="true">
      {drawings[kind]}
    </svg>
  )
