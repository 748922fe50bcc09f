import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension, Prec } from '@codemirror/state'
import {
  crosshairCursor,
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from '@codemirror/view'
import { t } from '../../i18n/i18n.ts'
import { codeLook } from './code-look.ts'

/** The extensions for texts of any language. Escape that no other key binding takes closes the editor. */
export const codeSetup = (onClose: () => void): Extension => [
  lineNumbers(),
  highlightActiveLineGutter(),
  highlightSpecialChars(),
  history(),
  foldGutter(),
  drawSelection(),
  dropCursor(),
  EditorState.allowMultipleSelections.of(true),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  autocompletion(),
  rectangularSelection(),
  crosshairCursor(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  keymap.of([
    ...closeBracketsKeymap,
    ...defaultKeymap,
    ...searchKeymap,
    ...historyKeymap,
    ...foldKeymap,
    ...completionKeymap,
    indentWithTab,
  ]),
  Prec.lowest(
    keymap.of([
      {
        key: 'Escape',
        run() {
          onClose()
          return true
        },
      },
    ]),
  ),
  EditorState.phrases.of(phrases()),
  EditorView.contentAttributes.of({
    'aria-label': t('editor.content'),
    'aria-description': t('editor.tabHint'),
    tabindex: '0',
  }),
  codeLook,
]

/** The words of the panel for a line. Find and replace have a bar of their own. */
const phrases = (): Record<string, string> => ({
  close: t('buttons.close'),
  'Go to line': t('editor.goToLine'),
  go: t('editor.go'),
})
