import { formatRelative } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import styles from './FoundTextNotice.module.css'
import { mayDiscard } from './UnsavedTexts.tsx'
import type { UnsavedTextControl } from './use-unsaved-text.ts'

/** Says that a text of this file was kept, and whether it is in the editor again. Announced when it appears. */
export function FoundTextNotice({ name, unsaved }: { name: string; unsaved: UnsavedTextControl }) {
  const { t } = useTranslation()
  const { found, restore, discard, dismiss } = unsaved

  async function discardFound() {
    if (found !== null && (found.isRestored || (await mayDiscard(found.path)))) discard()
  }

  return (
    <div role="status">
      {found !== null && (
        <div className={styles.notice}>
          <Icon name="info" small />
          <p className={styles.text}>
            {found.isRestored
              ? t('editor.keptRestored', { name })
              : t('editor.keptOffered', { name, when: formatRelative(new Date(found.at)) })}
          </p>
          <span className={styles.buttons}>
            <Button size="small" onClick={() => void discardFound()}>
              {t('prompts.discard')}
            </Button>
            <Button size="small" look="line" onClick={found.isRestored ? dismiss : restore}>
              {found.isRestored ? t('buttons.ok') : t('editor.keptRestore')}
            </Button>
          </span>
        </div>
      )}
    </div>
  )
}
