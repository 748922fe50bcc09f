import type { Resource } from '@filestead/contract'
import styles from './EntryIcon.module.css'

const sheet = (
  <>
    <path
      className={styles.tint}
      d="M7.25 2.75h6l6 6v10a2.5 2.5 0 0 1-2.5 2.5h-9.5a2.5 2.5 0 0 1-2.5-2.5V5.25a2.5 2.5 0 0 1 2.5-2.5Z"
    />
    <path d="M13.25 3v3.75a2 2 0 0 0 2 2H19" />
  </>
)
const frame = <rect className={styles.tint} x="2.75" y="4.25" width="18.5" height="15.5" rx="3" />

const drawings = {
  folder: (
    <>
      <path
        className={styles.back}
        d="M2 7.25A3.25 3.25 0 0 1 5.25 4h3.1c.8 0 1.55.3 2.1.85l1.3 1.25c.25.25.6.4 1 .4h6A3.25 3.25 0 0 1 22 9.75V14H2Z"
      />
      <path
        className={styles.front}
        d="M2 11.25c0-1.1.9-2 2-2h16c1.1 0 2 .9 2 2v5.5A3.25 3.25 0 0 1 18.75 20H5.25A3.25 3.25 0 0 1 2 16.75Z"
      />
    </>
  ),
  generic: sheet,
  text: (
    <>
      {sheet}
      <path d="M8.25 12.25h7.5M8.25 15h7.5M8.25 17.75h4.25" />
    </>
  ),
  pdf: (
    <>
      {sheet}
      <path d="M8 17.9c2.2-.9 5.2-5.2 3.8-7.7-1.1-1.9-2.6.6-1 3.3s3.7 4.2 5.7 2.6c1.1-1.1-3.2-2.1-8.5 1.8Z" />
    </>
  ),
  image: (
    <>
      {frame}
      <circle cx="8" cy="9.25" r="1.75" />
      <path d="m3 17 4.7-4.15a1.5 1.5 0 0 1 2 0l2.55 2.3 3.5-3.3a1.5 1.5 0 0 1 2 0L21 14.9" />
    </>
  ),
  video: (
    <>
      {frame}
      <path fill="currentColor" d="M10 9.1v5.8c0 .4.4.6.7.4l4.5-2.9a.5.5 0 0 0 0-.8L10.7 8.7a.45.45 0 0 0-.7.4Z" />
    </>
  ),
  audio: (
    <>
      <rect className={styles.tint} x="3.75" y="3.75" width="16.5" height="16.5" rx="3.5" />
      <path d="M7.5 10.75v2.5M10.5 8v8M13.5 9.75v4.5M16.5 11.25v1.5" />
    </>
  ),
  broken: sheet,
}

type Kind = keyof typeof drawings

export function EntryIcon({ entry }: { entry: Resource }) {
  const kind = kindOf(entry)

  return (
    <svg className={styles.icon} data-kind={kind} viewBox="0 0 24 24" aria-hidden="true">
      {drawings[kind]}
    </svg>
  )
}

function kindOf(entry: Resource): Kind {
  if (entry.isDir) return 'folder'
  switch (entry.type) {
    case 'textImmutable':
      return 'text'
    case 'invalid_link':
      return 'broken'
    case 'blob':
    case '':
      return 'generic'
    default:
      return entry.type
  }
}
