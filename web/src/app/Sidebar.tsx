import { run, useCommandsIn, useOffered } from '../commands/registry.ts'
import { Apart } from '../errors/Apart.tsx'
import { useTranslation } from '../i18n/i18n.ts'
import { Link } from '../navigation/Link.tsx'
import { useLocation } from '../navigation/location.ts'
import { can, isGuest, useSession } from '../server/session.ts'
import { instanceName, offersLogin, offersSignup, startSettings } from '../server/start-settings.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { IconButton } from '../ui/Button.tsx'
import { Icon } from '../ui/Icon.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { DiskUsage } from './DiskUsage.tsx'
import { logOut, mayLogOut } from './log-out.tsx'
import styles from './Sidebar.module.css'

const Later = lazyPart(async () => (await import('./later.tsx')).Later)

interface SidebarProps {
  /** With labels beside the icons. */
  isWide: boolean
  /** Drawn over the page on a phone. */
  isOpen: boolean
  onToggle: () => void
  /** A command was chosen that opens elsewhere: a drawer would lie over it. */
  onDone: () => void
}

export function Sidebar({ isWide, isOpen, onToggle, onDone }: SidebarProps) {
  const { t } = useTranslation()
  const session = useSession()

  return (
    <nav aria-label={t('frame.main')} className={styles.sidebar} data-wide={isWide} data-open={isOpen}>
      <div className={styles.brand}>
        <img className={styles.logo} src={`${startSettings.StaticURL}/img/logo.svg`} alt="" />
        <b className={styles.word}>{instanceName}</b>
        <IconButton
          icon="sidebar"
          label={t('frame.toggleSidebar')}
          aria-expanded={isWide}
          data-toggles="sidebar"
          onClick={onToggle}
        />
      </div>
      {session === null ? (
        <>
          <VisitorLinks />
          <div className={styles.gap} />
        </>
      ) : (
        <UserLinks username={session.user.username} isWide={isWide} onDone={onDone} />
      )}
      {session !== null && !isGuest() && !startSettings.DisableUsedPercentage && <DiskUsage />}
      <Credits onDone={onDone} />
    </nav>
  )
}

interface UserLinksProps extends Pick<SidebarProps, 'isWide' | 'onDone'> {
  username: string
}

function UserLinks({ username, isWide, onDone }: UserLinksProps) {
  const { t } = useTranslation()
  const { pathname } = useLocation()
  const title = isGuest() ? t('frame.files') : t('frame.myFiles')
  const creations = useCommandsIn('new')

  return (
    <>
      {!isGuest() && (
        <Link
          to="/settings/profile"
          className={styles.entry}
          aria-label={username}
          aria-description={t('frame.account')}
          aria-current={pathname === '/settings/profile' ? 'page' : undefined}
        >
          <Avatar name={username} />
          <bdi className={styles.word}>{username}</bdi>
        </Link>
      )}
      <Link
        id="my-files"
        to="/files/"
        className={styles.entry}
        aria-label={title}
        aria-current={/^\/files\/?$/.test(pathname) ? 'page' : undefined}
      >
        <Icon name="home" />
        <span className={styles.word}>{title}</span>
      </Link>
      <div className={styles.places}>
        <Apart>
          <Later isShown={isWide} />
        </Apart>
      </div>
      {creations.length > 0 && <div className={styles.rule} />}
      {creations.map((command) => (
        <button
          key={command.id}
          type="button"
          className={`action ${styles.entry}`}
          aria-label={t(command.label)}
          onClick={() => {
            onDone()
            void run(command)
          }}
        >
          <Icon name={command.icon} />
          <span className={styles.word}>{t(command.label)}</span>
        </button>
      ))}
      <div className={styles.rule} />
      {can('admin') && (
        <Link
          to="/settings/global"
          className={styles.entry}
          aria-label={t('frame.settings')}
          aria-current={isSettings(pathname) && !(isWide && can('share') && isShares(pathname)) ? 'page' : undefined}
        >
          <Icon name="gear" />
          <span className={styles.word}>{t('frame.settings')}</span>
        </Link>
      )}
      {mayLogOut() && (
        <button
          type="button"
          id="logout"
          className={`action ${styles.entry}`}
          aria-label={t('frame.logout')}
          onClick={logOut}
        >
          <Icon name="logout" />
          <span className={styles.word}>{t('frame.logout')}</span>
        </button>
      )}
    </>
  )
}

function VisitorLinks() {
  const { t } = useTranslation()
  return (
    <>
      {offersLogin && (
        <Link to="/login" className={styles.entry}>
          <Icon name="user" />
          <span className={styles.word}>{t('frame.login')}</span>
        </Link>
      )}
      {offersSignup && (
        <Link to="/login?mode=signup" className={styles.entry}>
          <Icon name="plus" />
          <span className={styles.word}>{t('frame.signup')}</span>
        </Link>
      )}
    </>
  )
}

function Credits({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation()
  const help = useOffered('help')
  return (
    <div className={`credits ${styles.credits}`}>
      <span className={styles.word}>
        {startSettings.DisableExternal ? instanceName : 'Filestead'} {startSettings.Version}
      </span>
      {help !== undefined && (
        <button
          type="button"
          className={`action ${styles.help}`}
          aria-label={t('frame.help')}
          onClick={() => {
            onDone()
            void run(help)
          }}
        >
          <Icon name="help" small />
          <span className={styles.word}>{t('frame.help')}</span>
        </button>
      )}
    </div>
  )
}

const isSettings = (pathname: string): boolean => /^\/settings\/(?!profile)/.test(pathname)

/** Where it is shown, the link "Shared" stands for this page. */
const isShares = (pathname: string): boolean => pathname === '/settings/shares'
