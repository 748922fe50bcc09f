import { useTranslation } from 'react-i18next'
import { allActions } from '../../actions/registry.ts'
import { shownShortcut } from '../../actions/shortcuts.ts'
import type { TextKey } from '../../i18n/i18n.ts'
import type { PromptProps } from '../../prompts/prompts.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import styles from './HelpPrompt.module.css'

export function HelpPrompt({ answer }: PromptProps<object, never>) {
  const { t } = useTranslation()
  const ofActions = allActions().flatMap(({ label, shortcut, otherShortcut }) =>
    shortcut === undefined ? [] : { label, ways: [shortcut, otherShortcut].filter((keys) => keys !== undefined) },
  )

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
      <table className={styles.keys} aria-label={t('help.shortcuts')}>
        <tbody>
          {[...ofActions, ...inTheListing].map(({ label, ways }) => (
            <tr key={label}>
              <td>{t(label)}</td>
              <th scope="row">
                {ways.map((keys) => (
                  <span key={keys} className={styles.way} dir="ltr">
                    {keys.split('+').map((key) => (
                      <kbd key={key}>{wordFor(key)}</kbd>
                    ))}
                  </span>
                ))}
              </th>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  )

  function wordFor(key: string): string {
    const word = words[key]
    return word === undefined ? shownShortcut(key) : t(word)
  }
}

/** What the listing itself understands, by key and by mouse. */
const inTheListing: readonly { label: TextKey; ways: string[] }[] = [
  { label: 'help.clearSelection', ways: ['Esc'] },
  { label: 'help.moveFocus', ways: ['arrows'] },
  { label: 'help.extend', ways: ['Shift+arrows'] },
  { label: 'help.firstLast', ways: ['Home', 'End'] },
  { label: 'help.toggle', ways: ['space'] },
  { label: 'help.typeAhead', ways: ['letters'] },
  { label: 'help.menu', ways: ['Shift+F10'] },
  { label: 'help.select', ways: ['click'] },
  { label: 'help.addToSelection', ways: ['Mod+click'] },
  { label: 'help.selectRange', ways: ['Shift+click'] },
  { label: 'help.open', ways: ['Enter', 'doubleClick'] },
]

const words: Record<string, TextKey> = {
  arrows: 'help.arrows',
  space: 'help.space',
  letters: 'help.letters',
  click: 'help.click',
  doubleClick: 'help.doubleClick',
}
