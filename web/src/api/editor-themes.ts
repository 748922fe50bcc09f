/**
 * The looks of the editor. The id is what is stored on the user, in the field the predecessor used; the empty one,
 * which most people have, follows the theme of the page.
 */
export const editorThemes = [
  { id: '', label: 'editorThemes.default' },
  { id: 'filestead-light', label: 'editorThemes.light' },
  { id: 'filestead-dark', label: 'editorThemes.dark' },
  { id: 'high-contrast', label: 'editorThemes.highContrast' },
  { id: 'solarized-light', label: 'editorThemes.solarizedLight' },
  { id: 'solarized-dark', label: 'editorThemes.solarizedDark' },
] as const

export type EditorThemeId = (typeof editorThemes)[number]['id']
