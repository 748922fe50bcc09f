/**
 * The key that a shortcut is compared with. A layout without Latin letters says 'с' or 'ب' where the shortcut says 'C':
 * there the position of the key counts, as it does for the browser's own shortcuts. A Latin letter always counts as
 * itself, so that Dvorak and AZERTY keep the letters that are printed on their keys. The question mark of Arabic and
 * Persian keyboards is one, too.
 */
export function pressedKey({ key, code = '' }: { key: string; code?: string }): string {
  if (key === '؟') return '?'
  if (!/^[^\0-\x7f]/.test(key) || /^\p{Script=Latin}/u.test(key)) return key
  return /^(?:Key|Digit)(.)$/.exec(code)?.[1]?.toLowerCase() ?? key
}

/**
 * Keys that choose among the proposals of an input method (Chinese, Japanese, Korean) mean nothing to the page. Safari
 * reports the last of them after the composition, with the old code for such keys.
 */
export const isComposing = ({ isComposing, keyCode }: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean =>
  isComposing || keyCode === 229

/** For dialogs: Escape ends the composition, or empties a field that says so, and does not close the dialog. */
export function keepOpenWhileComposing(event: KeyboardEvent): void {
  if (isComposing(event) || (event.target as Element).matches('[data-own-escape]')) event.preventDefault()
}
