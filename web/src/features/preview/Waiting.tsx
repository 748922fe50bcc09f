import { Spinner } from '../../ui/Button.tsx'
import styles from './Waiting.module.css'

/** In the middle of what is still to come. */
export const Waiting = () => (
  <div className={styles.waiting}>
    <Spinner />
  </div>
)
