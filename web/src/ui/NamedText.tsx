import styles from './VisuallyHidden.module.css'

/**
 * The words on a button that say more than its name, such as how many files it takes. The accessible name stays the same
 * whatever the number, for tests and for voice control; give the words as the button's description, too.
 */
export const NamedText = ({ name, shown }: { name: string; shown: string }) =>
  shown === name ? (
    name
  ) : (
    <>
      <span className={styles.visuallyHidden}>{name}</span>
      <span aria-hidden="true">{shown}</span>
    </>
  )
