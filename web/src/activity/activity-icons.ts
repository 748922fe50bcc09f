import type { GlyphName } from '../ui/glyphs.tsx'
import type { Activity } from './activities.ts'

export const activityIcons: Readonly<Record<Activity['kind'], GlyphName>> = {
  upload: 'upload',
  reading: 'folder',
  delete: 'trash',
  copy: 'copy-to',
  move: 'move',
  compress: 'folder',
  extract: 'folder',
  checksum: 'file',
  restore: 'folder',
  purge: 'trash',
  undo: 'folder',
}
