import type { ReactNode, Ref } from 'react'
import styles from './Panel.module.css'

interface PanelProps {
  /** The kind of its content, for tests and custom style sheets. */
  view: string
  /** True until the first content is there. */
  isBusy?: boolean
  /** The status of an error page. */
  status?: number
  /** The heading of the page for assistive technology, where none is shown. */
  heading?: string
  /** The bars above the content. */
  header: ReactNode
  /** What there is to say about the content, between it and the bar below. */
  note?: ReactNode
  /** The bar below it. */
  footer?: ReactNode
  children?: ReactNode
  /** Stands beside the content, below the header. */
  aside?: ReactNode
  ref?: Ref<HTMLDivElement>
}

/** The area beside the sidebar: header, scrolling content, footer. */
export function Panel(props: PanelProps) {
  const { view, isBusy = false, status, heading, header, note, footer, children, aside, ref } = props
  return (
    <div ref={ref} className={styles.panel}>
      <header className={styles.header}>
        {heading !== undefined && <h1 className={styles.visuallyHidden}>{heading}</h1>}
        {header}
      </header>
      <div className={styles.middle}>
        <main
          id="content"
          tabIndex={-1}
          className={styles.main}
          aria-busy={isBusy}
          data-view={view}
          data-status={status}
        >
          {children}
        </main>
        {aside}
      </div>
      {note}
      {footer !== undefined && <footer className={styles.footer}>{footer}</footer>}
    </div>
  )
}

/** The row at the top of every panel: 48 px, breadcrumbs or a title, then what belongs to the whole screen. */
export const Bar = ({ children }: { children: ReactNode }) => <div className={styles.bar}>{children}</div>
