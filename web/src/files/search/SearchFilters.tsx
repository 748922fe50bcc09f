import { useTranslation } from '../../i18n/i18n.ts'
import { Icon } from '../../ui/Icon.tsx'
import styles from './SearchFilters.module.css'

const filters = [
  { label: 'search.images', token: 'type:image', icon: 'image' },
  { label: 'search.music', token: 'type:music', icon: 'music' },
  { label: 'search.video', token: 'type:video', icon: 'video' },
  { label: 'search.pdf', token: 'type:pdf', icon: 'pdf' },
] as const

interface SearchFiltersProps {
  text: string
  onText: (text: string) => void
  /** Null where the folder in view is everything there is. */
  isEverywhere: boolean | null
  onEverywhere: (isEverywhere: boolean) => void
}

/** Buttons that write a filter into the field, and take it out again. They act at once. */
export function SearchFilters({ text, onText, isEverywhere, onEverywhere }: SearchFiltersProps) {
  const { t } = useTranslation()
  const written = text.split(/\s+/)
  const rest = text.replace(/(^|\s)type:\S*/g, '').trimStart()
  return (
    <div className={styles.filters}>
      {filters.map(({ label, token, icon }) => {
        const isOn = written.includes(token)
        return (
          <button
            key={token}
            type="button"
            className={styles.filter}
            aria-pressed={isOn}
            onClick={() => onText(isOn ? rest : `${token} ${rest}`)}
          >
            <Icon name={icon} small />
            {t(label)}
          </button>
        )
      })}
      {isEverywhere !== null && (
        <button
          type="button"
          className={styles.filter}
          aria-pressed={isEverywhere}
          onClick={() => onEverywhere(!isEverywhere)}
        >
          <Icon name="globe" small />
          {t('search.everywhere')}
        </button>
      )}
    </div>
  )
}
