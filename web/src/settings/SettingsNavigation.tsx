import { useEffect, useRef } from 'react'
import { type TextKey, useTranslation } from '../i18n/i18n.ts'
import { Link } from '../navigation/Link.tsx'
import type { GlyphName } from '../ui/glyphs.tsx'
import { Icon } from '../ui/Icon.tsx'
import styles from './SettingsNavigation.module.css'
import { mayOpen, type SettingsPageName, settingsPages } from './tabs.ts'

/** Apart from the list of pages, which is loaded with every first visit. */
const titles: Record<SettingsPageName, { icon: GlyphName; label: TextKey }> = {
  profile: { icon: 'user', label: 'settings.profile.title' },
  shares: { icon: 'link', label: 'settings.shares.title' },
  global: { icon: 'sliders', label: 'settings.global.title' },
  users: { icon: 'users', label: 'settings.users.management' },
  groups: { icon: 'group', label: 'settings.groups.title' },
  mounts: { icon: 'folder', label: 'settings.mounts.title' },
  access: { icon: 'lock', label: 'rights.title' },
}

/** A column beside the page; where there is no room, a strip above it that scrolls sideways. */
export function SettingsNavigation({ current }: { current: SettingsPageName }) {
  const { t } = useTranslation()
  const strip = useRef<HTMLElement>(null)
  const shown = settingsPages.filter(mayOpen)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is the trigger
  useEffect(() => {
    strip.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [current])

  return (
    <nav ref={strip} id="nav" aria-label={t('frame.settings')} className={styles.strip}>
      {shown.map(({ name }) => (
        <Link
          key={name}
          to={`/settings/${name}`}
          className={styles.link}
          aria-current={name === current ? 'page' : undefined}
        >
          <Icon name={titles[name].icon} />
          {t(titles[name].label)}
        </Link>
      ))}
    </nav>
  )
}
