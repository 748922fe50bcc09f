import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { can } from '../../api/session.ts'
import { Link } from '../../navigation/Link.tsx'
import type { GlyphName } from '../../ui/glyphs.tsx'
import { Icon } from '../../ui/Icon.tsx'
import styles from './SettingsNavigation.module.css'

type Name = 'profile' | 'shares' | 'global' | 'users'

const pages = [
  { name: 'profile', icon: 'user', label: 'settings.profile.title' },
  { name: 'shares', icon: 'link', label: 'settings.shares.title', permission: 'share' },
  { name: 'global', icon: 'sliders', label: 'settings.global.title', permission: 'admin' },
  { name: 'users', icon: 'users', label: 'settings.users.management', permission: 'admin' },
] as const satisfies { name: Name; icon: GlyphName; label: string; permission?: 'share' | 'admin' }[]

/** A column beside the page; where there is no room, a strip above it that scrolls sideways. */
export function SettingsNavigation({ current }: { current: Name }) {
  const { t } = useTranslation()
  const strip = useRef<HTMLElement>(null)
  const shown = pages.filter((page) => !('permission' in page) || can(page.permission))

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
