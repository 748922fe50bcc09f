import type { Resource } from '@filestead/contract'
import { EntryIcon } from './EntryIcon.tsx'
import styles from './EntryList.module.css'
import { toSize } from './size.ts'

/** Folders first, each group in the order the server chose. */
export function EntryList({ entries }: { entries: readonly Resource[] }) {
  const ordered = [...entries.filter((entry) => entry.isDir), ...entries.filter((entry) => !entry.isDir)]

  return (
    <ul aria-label="Files" className={styles.list}>
      {ordered.map((entry) => (
        <li key={entry.name} className={styles.entry}>
          <EntryIcon entry={entry} />
          <EntryName entry={entry} />
          <bdi className={styles.size}>{sizeOf(entry)}</bdi>
        </li>
      ))}
    </ul>
  )
}

/** The stem leads, the ending recedes. */
function EntryName({ entry }: { entry: Resource }) {
  const dot = entry.isDir ? -1 : entry.name.lastIndexOf('.')
  const stemLength = dot > 0 ? dot : entry.name.length

  return (
    <bdi className={styles.name}>
      {entry.name.slice(0, stemLength)}
      <span className={styles.ending}>{entry.name.slice(stemLength)}</span>
    </bdi>
  )
}

function sizeOf(entry: Resource): string {
  if (entry.isDir) return 'Folder'
  return entry.type === 'invalid_link' ? 'invalid link' : toSize(entry.size)
}
