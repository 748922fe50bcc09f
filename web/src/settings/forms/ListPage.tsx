import type { MouseEvent, ReactNode } from 'react'
import { ErrorMessage } from '../../errors/ErrorMessage.tsx'
import { useTranslation } from '../../i18n/i18n.ts'
import { Link } from '../../navigation/Link.tsx'
import { goTo, navigate } from '../../navigation/location.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { RowActions } from '../../ui/Table.tsx'
import styles from './ListPage.module.css'

/** Beside the title of a list: leads to the form for a new one. */
export const NewLink = ({ to, children }: { to: string; children: string }) => (
  <Link to={to} className={`button ${styles.new}`}>
    <Icon name="plus" />
    {children}
  </Link>
)

interface OpenRowProps {
  label: string
  address: string
  children: ReactNode
}

/** A row that leads to its page wherever it is clicked. For the mouse: the keyboard has the link in the row. */
export function OpenRow({ label, address, children }: OpenRowProps) {
  function open({ target }: MouseEvent) {
    // Links open by themselves, also in a new tab; a click that selects text opens nothing.
    const isLink = target instanceof Element && target.closest('a') !== null
    if (!isLink && getSelection()?.isCollapsed !== false) void navigate(address)
  }
  return (
    <tr aria-label={label} className={styles.row} onClick={open}>
      {children}
    </tr>
  )
}

export const EditCell = ({ to, label }: { to: string; label: string }) => (
  <RowActions>
    <Link to={to} className={styles.edit} aria-label={label} data-tip={label}>
      <Icon name="edit" />
    </Link>
  </RowActions>
)

/** Back to the list, without a question about the changes: cancelling is the answer. */
export function CancelLink({ to }: { to: string }) {
  const { t } = useTranslation()

  function leave(event: MouseEvent) {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    goTo(to)
  }

  return (
    <Link to={to} className={`button ${styles.cancel}`} onClick={leave}>
      {t('buttons.cancel')}
    </Link>
  )
}

/** Instead of a page about something that was removed. */
export const NotThere = ({ list, children }: { list: string; children: string }) => (
  <ErrorMessage
    status={404}
    level={2}
    actions={
      <Button look="primary" icon="list" onClick={() => void navigate(list)}>
        {children}
      </Button>
    }
  />
)
