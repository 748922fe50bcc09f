/**
 * The themes of the editor. The id is stored with the user, in the field of the predecessor; the empty one, which is the
 * default, follows the theme of the page.
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
