import { useState } from 'react'
import type { QuestionProps } from '../dialogs/ask.ts'
import { type TextKey, useTranslation } from '../i18n/i18n.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Icon } from '../ui/Icon.tsx'
import { shownKeys } from './command-keys.ts'
import styles from './HelpDialog.module.css'
import { keyWords, type Shortcut, shortcutGroups } from './shortcuts.ts'

/** All shortcuts in groups, and a field that leaves only those that are looked for. */
export function HelpDialog({ answer }: QuestionProps<object, never>) {
  const { t } = useTranslation()
  const [wanted, setWanted] = useState('')

  const wordOf = (key: string): string => {
    const word = keyWords[key]
    if (word === undefined) return shownKeys(key)
    return word.sign ?? t(word.text)
  }
  const fits = ({ label, bindings }: Shortcut): boolean =>
    [t(label), ...bindings.map((keys) => splitKeys(keys).map(wordOf).join('+'))].some((text) =>
      text.toLocaleLowerCase().includes(wanted.trim().toLocaleLowerCase()),
    )
  const groups = shortcutGroups()
    .map(({ title, shortcuts }) => ({ title, shortcuts: shortcuts.filter(fits) }))
    .filter(({ shortcuts }) => shortcuts.length > 0)

  return (
    <Dialog
      title={t('help.title')}
      width="widest"
      onClose={() => answer(null)}
      actions={
        <Button look="primary" data-autofocus="" onClick={() => answer(null)}>
          {t('buttons.ok')}
        </Button>
      }
    >
      <div className={styles.filter}>
        <Icon name="search" small />
        <input
          type="search"
          aria-label={t('help.filter')}
          placeholder={t('help.filter')}
          value={wanted}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setWanted(target.value)}
        />
      </div>
      <table className={styles.keys} aria-label={t('help.shortcuts')}>
        {groups.map(({ title, shortcuts }) => (
          <Group key={title} title={title} shortcuts={shortcuts} wordOf={wordOf} />
        ))}
      </table>
      <p role="status" className={styles.none}>
        {groups.length === 0 && t('help.noMatch')}
      </p>
    </Dialog>
  )
}

interface GroupProps {
  title: TextKey
  shortcuts: readonly Shortcut[]
  wordOf: (key: string) => string
}

function Group({ title, shortcuts, wordOf }: GroupProps) {
  const { t } = useTranslation()
  return (
    <tbody>
      <tr className={styles.title}>
        <th scope="rowgroup" colSpan={2}>
          {t(title)}
        </th>
      </tr>
      {shortcuts.map(({ label, bindings }) => (
        <tr key={label}>
          <td>{t(label)}</td>
          <th scope="row">
            {bindings.map((keys) => (
              <span key={keys} className={styles.binding} dir="ltr">
                {splitKeys(keys).map((key) => (
                  <kbd key={key}>{wordOf(key)}</kbd>
                ))}
              </span>
            ))}
          </th>
        </tr>
      ))}
    </tbody>
  )
}

/** The plus sign is a key, too. */
const splitKeys = (keys: string): string[] => (keys === '+' ? ['+'] : keys.split('+'))
