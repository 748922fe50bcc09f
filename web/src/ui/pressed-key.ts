/**
 * The key that a shortcut is compared with. A layout without Latin letters says 'с' or 'ب' where the shortcut says 'C':
 * there the position of the key counts, as it does for the browser's own shortcuts. A Latin letter always counts as
 * itself, so that Dvorak and AZERTY keep the letters that are printed on their keys.
 */
export function pressedKey({ key, code = '' }: { key: string; code?: string }): string {
  if (!/^[^\0-\x7f]/.test(key) || /^\p{Script=Latin}/u.test(key)) return key
  return /^(?:Key|Digit)(.)$/.exec(code)?.[1]?.toLowerCase() ?? key
}
