import { useEffect, useRef } from 'react'
import { useTranslation } from '../i18n/i18n.ts'
import { Link } from '../navigation/Link.tsx'
import { can } from '../server/session.ts'
import { Icon } from '../ui/Icon.tsx'
import styles from './SettingsNavigation.module.css'
import { type SettingsPageName, settingsPages } from './tabs.ts'

/** A column beside the page; where there is no room, a strip above it that scrolls sideways. */
export function SettingsNavigation({ current }: { current: SettingsPageName }) {
  const { t } = useTranslation()
  const strip = useRef<HTMLElement>(null)
  const shown = settingsPages.filter((page) => !('permission' in page) || can(page.permission))

  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is the trigger
  useEffect(() => {
    strip.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [current])

  return (
    <nav ref={strip} id="nav" aria-label={t('frame.settings')} className={styles.strip}>
      {shown.map(({ name, icon, label }) => (
        <Link
          key={name}
          to={`/settings/${name}`}
          className={styles.link}
          aria-current={name === current ? 'page' : undefined}
        >
          <Icon name={icon} />
          {t(label)}
        </Link>
      ))}
    </nav>
  )
}
