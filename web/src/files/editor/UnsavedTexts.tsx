import { nameOf } from '@filestead/contract'
import { ask } from '../../dialogs/ask.ts'
import { Confirmation } from '../../dialogs/Confirmation.tsx'
import { t, useTranslation } from '../../i18n/i18n.ts'
import { withoutMarks } from '../../i18n/placeholders.ts'
import { Link } from '../../navigation/Link.tsx'
import { IconButton } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { forgetTextsOf, type KeptText } from '../../workspace/unsaved-text.ts'
import styles from './UnsavedTexts.module.css'

/** The files with unsaved text, above the listing: after a crash or the end of a session there is no other way back. */
export function UnsavedTexts({ texts }: { texts: readonly KeptText[] }) {
  const { t } = useTranslation()
  // Two tabs may have kept a text of one file. The newest is listed, and found first when the file is opened.
  const newest = texts.filter(({ path }, at) => texts.findIndex((other) => other.path === path) === at)
  return (
    <section aria-label={t('editor.keptTitle')} className={styles.card}>
      <h2 className={styles.title}>
        <Icon name="edit" small />
        {t('editor.keptTitle')}
      </h2>
      <ul className={styles.list}>
        {newest.map(({ path, address, at }) => (
          <li key={path} className={styles.text}>
            <Link to={address} className={styles.name} title={path}>
              <bdi>{nameOf(path)}</bdi>
            </Link>
            <RelativeTime className={styles.time} at={new Date(at)} />
            <IconButton
              icon="x"
              small
              label={withoutMarks(t('editor.keptDiscard', { name: nameOf(path) }))}
              onClick={() => void discardAll(path)}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

async function discardAll(path: string): Promise<void> {
  if (await mayDiscard(path)) forgetTextsOf([path])
}

/** Asks before a text is removed that is in no editor, where the removal could be undone. */
export async function mayDiscard(path: string): Promise<boolean> {
  const isMeant = await ask(Confirmation, {
    title: t('editor.keptTitle'),
    text: t('editor.keptDiscardText', { name: nameOf(path) }),
    cancel: t('buttons.cancel'),
    confirm: t('prompts.discard'),
  })
  return isMeant !== null
}
