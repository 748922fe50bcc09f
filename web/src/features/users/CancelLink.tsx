import type { MouseEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from '../../navigation/Link.tsx'
import { goTo } from '../../navigation/location.ts'
import styles from './CancelLink.module.css'

/** Back to the list. Whoever cancels has decided already and is not asked about the changes. */
export function CancelLink() {
  const { t } = useTranslation()

  function leave(event: MouseEvent) {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    goTo('/settings/users')
  }

  return (
    <Link to="/settings/users" className={`button ${styles.cancel}`} onClick={leave}>
      {t('buttons.cancel')}
    </Link>
  )
}
