import { Fragment, type ReactNode } from 'react'
import styles from './DescriptionList.module.css'

/**
 * Terms and their values. A value that is not known, or not known yet, is left out. A text runs in its own direction,
 * anything else as the page does.
 */
export const DescriptionList = ({ items }: { items: readonly (readonly [term: string, definition: ReactNode])[] }) => (
  <dl className={styles.list}>
    {items
      .filter(([, definition]) => definition !== null && definition !== undefined)
      .map(([term, definition]) => (
        <Fragment key={term}>
          <dt>{term}</dt>
          <dd>{typeof definition === 'string' ? <bdi>{definition}</bdi> : definition}</dd>
        </Fragment>
      ))}
  </dl>
)
