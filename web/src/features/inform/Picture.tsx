import { useState } from 'react'
import { useTries } from '../../api/line.ts'
import { type Entry, previewUrl } from '../../api/resources.ts'
import styles from './Picture.module.css'

/** What the file shows, beside its name. Where it cannot be drawn, nothing is missing. */
export function Picture({ file }: { file: Entry }) {
  const [isDrawn, setIsDrawn] = useState(true)
  const { tries, onError } = useTries(() => setIsDrawn(false))
  if (!isDrawn) return null
  return <img key={tries} className={styles.picture} src={previewUrl('big', file)} alt="" onError={onError} />
}
