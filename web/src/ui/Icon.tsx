import styles from './Icon.module.css'

const drawings = {
  eye: (
    <>
      <path d="M2.5 10S5 4.75 10 4.75 17.5 10 17.5 10 15 15.25 10 15.25 2.5 10 2.5 10Z" />
      <circle cx="10" cy="10" r="2.25" />
    </>
  ),
  leave: (
    <path d="M8 3.75H6A2.25 2.25 0 0 0 3.75 6v8A2.25 2.25 0 0 0 6 16.25h2M8.5 10h8M13.25 6.75 16.5 10l-3.25 3.25" />
  ),
  warning: (
    <>
      <path d="M8.7 4.2a1.5 1.5 0 0 1 2.6 0l5.5 9.8a1.5 1.5 0 0 1-1.3 2.25h-11A1.5 1.5 0 0 1 3.2 14Z" />
      <path d="M10 8v3.25" />
      <circle cx="10" cy="13.6" r=".95" fill="currentColor" stroke="none" />
    </>
  ),
}

/** Never carries a name: the control around it does. */
export function Icon({ name, small = false }: { name: keyof typeof drawings; small?: boolean }) {
  return (
    <svg className={styles.icon} data-small={small} viewBox="0 0 20 20" aria-hidden="true">
      {drawings[name]}
    </svg>
  )
}
