import styles from './LoginDrawing.module.css'

/** The background of the login screen: the house of the logo on a hillside. */
export function LoginDrawing() {
  return (
    <svg className={styles.hillside} viewBox="0 0 1440 320" preserveAspectRatio="xMaxYMax slice" aria-hidden="true">
      <path className={styles.far} d="M0 190c150-44 300-60 470-34s330 40 520 4 320-30 450 6v154H0Z" />
      <g transform="translate(0 19)">
        <path className={styles.wall} d="M1046 206v-28l20-20 50 27v21Z" />
        <path className={styles.roof} d="M1040 182.5 1064.5 158a3 3 0 0 1 3.6-.5L1123 187" />
        <path className={styles.lamp} d="M1086 188h10v8h-10z" />
        <path className={styles.door} d="M1058 206v-15h7l4 4v11Z" />
      </g>
      <path className={styles.middle} d="M0 236c210-40 380-30 590-8s420 10 850-34v126H0Z" />
      <path className={styles.near} d="M0 274c260-32 520-22 760-6s480 8 680-22v74H0Z" />
    </svg>
  )
}
