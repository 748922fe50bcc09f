import type { HTMLAttributes, ReactNode } from 'react'
import styles from './Table.module.css'

interface TableProps {
  label: string
  /** The headings. A hidden one is for assistive technology alone, such as that of a column of buttons. */
  columns: readonly { label: string; isHidden?: boolean }[]
  children: ReactNode
}

/** Rows of the same kind. On a phone each row is a card, so that its actions are in view without scrolling sideways. */
export function Table({ label, columns, children }: TableProps) {
  return (
    <table className={styles.table} aria-label={label}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.label} scope="col">
              <span className={column.isHidden ? styles.visuallyHidden : undefined}>{column.label}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}

/** The last cell of a row: what can be done with it. */
export const RowActions = ({ children }: { children: ReactNode }) => (
  <td className={styles.actions}>
    <span>{children}</span>
  </td>
)

/** A small mark: "Permanent", "Yes", "in 6 days". */
export const Badge = ({
  look = 'plain',
  ...rest
}: { look?: 'plain' | 'accent' | 'warn' } & Omit<HTMLAttributes<HTMLSpanElement>, 'className' | 'style'>) => (
  <span {...rest} className={styles.badge} data-look={look} />
)
