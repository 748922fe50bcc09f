import styles from './Avatar.module.css'

/** The first letter of a name in a circle. Drawn, not written: the name stands beside it. */
export const Avatar = ({ name, isLarge = false }: { name: string; isLarge?: boolean }) => (
  <span className={styles.avatar} data-large={isLarge} data-letter={[...name][0]?.toUpperCase()} aria-hidden="true" />
)
