import type { KeptItem } from '@filestead/contract'
import type { ReactNode, RefObject } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { Link } from '../../navigation/Link.tsx'
import { Button, IconButton } from '../../ui/Button.tsx'
import { DrawerButton } from '../../ui/DrawerButton.tsx'
import type { GlyphName } from '../../ui/glyphs.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { useMedia } from '../../ui/media.ts'
import { NamedText } from '../../ui/NamedText.tsx'
import { Bar } from '../../ui/Panel.tsx'
import { Toolbar } from '../../ui/Toolbar.tsx'
import styles from './TrashBar.module.css'

/** The title of the page; in a folder of the trash the way there. */
export function TrashBar({ crumbs = null, children }: { crumbs?: ReactNode; children?: ReactNode }) {
  const { t } = useTranslation()
  return (
    <Bar>
      <DrawerButton label={t('frame.toggleSidebar')} />
      {crumbs ?? (
        <h1 className={styles.title}>
          <Icon name="trash" />
          {t('trash.title')}
        </h1>
      )}
      {children}
    </Bar>
  )
}

/** On a phone, which has neither the box above the rows nor Escape: all of them, and the end of selecting. */
export function SelectingInTrash({ onAll, onEnd }: { onAll(): void; onEnd(): void }) {
  const { t } = useTranslation()
  return (
    <div className={styles.selecting}>
      <Button size="small" onClick={onAll}>
        {t('files.selectAll')}
      </Button>
      <Button size="small" onClick={onEnd}>
        <NamedText name={t('files.clear')} shown={t('listing.done')} />
      </Button>
    </div>
  )
}

export interface Crumb {
  name: string
  to: string
}

export function TrashCrumbs({ steps }: { steps: readonly Crumb[] }) {
  const { t } = useTranslation()
  return (
    <nav aria-label={t('files.breadcrumbs')} className={styles.crumbs}>
      <ol className={styles.steps}>
        <li className={styles.step}>
          <Link to="/trash" className={styles.crumb}>
            <Icon name="trash" />
            <span>{t('trash.title')}</span>
          </Link>
        </li>
        {steps.map(({ name, to }, index) => (
          <li key={to} className={styles.step}>
            <Link to={to} className={styles.crumb} aria-current={index === steps.length - 1 ? 'page' : undefined}>
              <bdi>{name}</bdi>
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  )
}

interface TrashToolsProps {
  field: RefObject<HTMLInputElement | null>
  typed: string
  onType(text: string): void
  chosen: readonly KeptItem[]
  can: { restore: boolean; purge: boolean; empty: boolean }
  isSelectingMany: boolean
  onSelectMany(isOn: boolean): void
  restore(): void
  restoreTo(): void
  purge(): void
  empty(): void
}

/** What can be done about the trash: with what is chosen, else with all of it. */
export function TrashTools(props: TrashToolsProps) {
  const { field, typed, onType, chosen, can, isSelectingMany, onSelectMany } = props
  const { t } = useTranslation()
  const isNarrow = useMedia('narrow')
  const isChosen = chosen.length > 0
  // Three of them with icons are wider than a phone.
  const icon = (name: GlyphName) => (isNarrow ? {} : { icon: name })
  return (
    <div className={styles.tools} data-chosen={isChosen}>
      <input
        ref={field}
        type="search"
        className={styles.search}
        dir="auto"
        placeholder={t('trash.search')}
        aria-label={t('trash.search')}
        value={typed}
        onChange={({ target }) => onType(target.value)}
      />
      <Toolbar label={t('trash.actions')} className={styles.actions}>
        {isNarrow && !isChosen && (
          <IconButton
            icon="select"
            label={t('files.selectMultiple')}
            aria-pressed={isSelectingMany}
            onClick={() => onSelectMany(!isSelectingMany)}
          />
        )}
        {isChosen && (
          <>
            <Button size="small" look="primary" icon="undo" disabled={!can.restore} onClick={props.restore}>
              {t('trash.restore')}
            </Button>
            <Button size="small" look="line" {...icon('move')} disabled={!can.restore} onClick={props.restoreTo}>
              {t('trash.restoreTo')}
            </Button>
            <Button size="small" look="danger-quiet" {...icon('trash')} disabled={!can.purge} onClick={props.purge}>
              {t('trash.forGood')}
            </Button>
          </>
        )}
        {!isChosen && (
          <Button size="small" look="line" icon="trash" disabled={!can.empty} onClick={props.empty}>
            {t('trash.empty')}
          </Button>
        )}
      </Toolbar>
    </div>
  )
}
