import { type FileMarkName, fileMarks } from './file-marks.tsx'
import { type GlyphName, glyphs } from './glyphs.tsx'
import styles from './Icon.module.css'
import { type SceneName, scenes } from './scenes.tsx'

/** Glyphs that point somewhere point the other way in right-to-left languages. */
const directional = new Set<GlyphName>([
  'arrow-left',
  'arrow-right',
  'chevron-left',
  'chevron-right',
  'details',
  'external',
  'list',
  'logout',
  'menu',
  'move',
  'sidebar',
])

/** Has no accessible name: the control around it does. */
export function Icon({ name, small = false }: { name: GlyphName; small?: boolean }) {
  return (
    <svg
      className={styles.glyph}
      data-small={small}
      data-flips={directional.has(name)}
      viewBox="0 0 20 20"
      aria-hidden="true"
    >
      {glyphs[name]}
    </svg>
  )
}

/** The mark of a file type; alone where no picture takes its place. Its size comes from `--mark`, else from the density of rows. */
export function FileMark({ name, isAlone }: { name: FileMarkName; isAlone?: boolean }) {
  return (
    <svg className={styles.mark} data-mark={name} data-alone={isAlone} viewBox="0 0 24 24" aria-hidden="true">
      {fileMarks[name]}
    </svg>
  )
}

export function Scene({ name }: { name: SceneName }) {
  return (
    <svg className={styles.scene} viewBox="0 0 200 140" aria-hidden="true">
      {scenes[name]}
    </svg>
  )
}
