import styles from './SkipLink.module.css'

/** The first stop of the Tab key, seen only then: past everything to what the page is about. */
export const SkipLink = ({ label }: { label: string }) => (
  // biome-ignore lint/a11y/useValidAnchor: it is a link, followed by hand
  <a className={styles.skip} href="#content" onClick={skipToContent}>
    {label}
  </a>
)

/** By hand, so that the address stays as it is. */
function skipToContent(event: { preventDefault(): void }): void {
  event.preventDefault()
  document.getElementById('content')?.focus()
}
