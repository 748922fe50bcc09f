import { useEffect, useState } from 'react'
import styles from './Skeleton.module.css'

/** An answer that comes sooner needs no placeholder: it would only flicker. */
const patience = 150
const widths = [44, 31, 38, 25, 47, 34, 29, 41, 36, 27]

/** The shape of rows to come. */
export function Skeleton() {
  const [isShown, setIsShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true), patience)
    return () => clearTimeout(timer)
  }, [])
  if (!isShown) return null
  return (
    <div className={styles.rows} aria-hidden="true">
      {widths.map((width) => (
        <div key={width} className={styles.row}>
          <span className={styles.mark} />
          <span className={styles.bar} style={{ inlineSize: `${width}%` }} />
        </div>
      ))}
    </div>
  )
}
