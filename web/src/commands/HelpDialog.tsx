import type { QuestionProps } from '../dialogs/ask.ts'
import type { TextKey } from '../i18n/i18n.ts'
import { useTranslation } from '../i18n/i18n.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import styles from './HelpDialog.module.css'
import { shownKeys } from './keyboard.ts'
import { allCommands } from './registry.ts'

export function HelpDialog({ answer }: QuestionProps<object, never>) {
  const { t } = useTranslation()
  const ofCommands = allCommands().flatMap(({ label, keys = [] }) => {
    const bindings = keys.filter(({ context }) => context === undefined).map(({ keys }) => keys)
    return bindings.length === 0 ? [] : { label, bindings }
  })

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
          {[...ofCommands, ...ofTheGrid].map(({ label, bindings }) => (
            <tr key={label}>
              <td>{t(label)}</td>
              <th scope="row">
                {bindings.map((keys) => (
                  <span key={keys} className={styles.binding} dir="ltr">
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
    return word === undefined ? shownKeys(key) : t(word)
  }
}

/** Keys and clicks that the grid handles itself. */
const ofTheGrid: readonly { label: TextKey; bindings: string[] }[] = [
  { label: 'help.clearSelection', bindings: ['Esc'] },
  { label: 'help.moveFocus', bindings: ['arrows'] },
  { label: 'help.moveOnly', bindings: ['Mod+arrows'] },
  { label: 'help.extend', bindings: ['Shift+arrows'] },
  { label: 'help.firstLast', bindings: ['Home', 'End'] },
  { label: 'help.toggle', bindings: ['space'] },
  { label: 'help.typeAhead', bindings: ['letters'] },
  { label: 'help.menu', bindings: ['Shift+F10'] },
  { label: 'help.select', bindings: ['click'] },
  { label: 'help.addToSelection', bindings: ['Mod+click'] },
  { label: 'help.selectRange', bindings: ['Shift+click'] },
  { label: 'help.open', bindings: ['Enter', 'doubleClick'] },
]

const words: Record<string, TextKey> = {
  arrows: 'help.arrows',
  space: 'help.space',
  letters: 'help.letters',
  click: 'help.click',
  doubleClick: 'help.doubleClick',
}
