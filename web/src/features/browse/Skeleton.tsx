import { useAfterAWhile } from '../../ui/after-a-while.ts'
import styles from './Skeleton.module.css'

const patience = 150
const widths = [44, 31, 38, 25, 47, 34, 29, 41, 36, 27]

/** The shape of rows to come. */
export function Skeleton() {
  if (!useAfterAWhile(patience)) return null
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
