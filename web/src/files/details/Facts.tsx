import { Fragment, type ReactNode } from 'react'
import styles from './Facts.module.css'

/** Terms and their values. A value that is not known, or not known yet, is left out. */
export const Facts = ({ facts }: { facts: readonly (readonly [term: string, definition: ReactNode])[] }) => (
  <dl className={styles.facts}>
    {facts
      .filter(([, definition]) => definition !== null && definition !== undefined)
      .map(([term, definition]) => (
        <Fragment key={term}>
          <dt>{term}</dt>
          <dd>
            <bdi>{definition}</bdi>
          </dd>
        </Fragment>
      ))}
  </dl>
)
