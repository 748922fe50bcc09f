import { type EditorThemeId, editorThemes } from './theme-names.ts'

export type EditorTheme = Exclude<EditorThemeId, ''>

const ids = editorThemes.map(({ id }) => id).filter((id) => id !== '')

/** Themes of the predecessor's editor that are light; all others it had are dark. */
const oldLightThemes = new Set([
  'chrome',
  'clouds',
  'crimson_editor',
  'dawn',
  'dreamweaver',
  'eclipse',
  'github',
  'github_light_default',
  'gruvbox_light_hard',
  'iplastic',
  'katzenmilch',
  'kuroir',
  'sqlserver',
  'textmate',
  'tomorrow',
  'xcode',
  'cloud_editor',
])

/** The theme nearest to the stored one; `null` follows the page. */
export function editorThemeOf(stored: string): EditorTheme | null {
  const name = stored.replace(/^ace\/theme\//, '')
  if (name === '' || name === 'default') return null
  const own = ids.find((theme) => theme === name.replaceAll('_', '-'))
  if (own !== undefined) return own
  if (/high_contrast|terminal/.test(name)) return 'high-contrast'
  return oldLightThemes.has(name) ? 'filestead-light' : 'filestead-dark'
}
