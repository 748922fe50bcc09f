/** What a person can choose for the editor. The empty text, stored for most people, follows the theme of the page. */
export const editorThemes = [
  { id: '', label: 'editorThemes.default' },
  { id: 'filestead-light', label: 'editorThemes.light' },
  { id: 'filestead-dark', label: 'editorThemes.dark' },
  { id: 'high-contrast', label: 'editorThemes.highContrast' },
  { id: 'solarized-light', label: 'editorThemes.solarizedLight' },
  { id: 'solarized-dark', label: 'editorThemes.solarizedDark' },
] as const
