import { useAfterAWhile } from '../../ui/after-a-while.ts'
import styles from './Skeleton.module.css'

/** A listing that comes sooner needs no placeholder. */
const delay = 150
const widths = [44, 31, 38, 25, 47, 34, 29, 41, 36, 27]

/** Stands for the rows while they load. */
export function Skeleton() {
  if (!useAfterAWhile(delay)) return null
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
