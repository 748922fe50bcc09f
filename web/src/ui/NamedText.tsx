import styles from './Unseen.module.css'

/**
 * The words on a button that say more than its name, such as how many files it takes. The name stays the same for those
 * who look for it or speak it, whatever the number; give the words as the button's description, too.
 */
export const NamedText = ({ name, shown }: { name: string; shown: string }) =>
  shown === name ? (
    name
  ) : (
    <>
      <span className={styles.unseen}>{name}</span>
      <span aria-hidden="true">{shown}</span>
    </>
  )
