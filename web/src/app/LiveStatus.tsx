import { useLiveStatus } from '../ui/live-status.ts'
import styles from './LiveStatus.module.css'

/** Says quietly, to those who cannot see it, what has changed on the screen. There from the start. */
export const LiveStatus = () => (
  <div id="live-status" role="status" aria-live="polite" className={styles.unseen}>
    {useLiveStatus()}
  </div>
)
