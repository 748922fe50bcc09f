import type { GlyphName } from '../../ui/glyphs.tsx'
import { Icon } from '../../ui/Icon.tsx'
import styles from './Subject.module.css'

/** What a dialog is about, in its first line. */
export const Subject = ({ icon, text }: { icon: GlyphName; text: string }) => (
  <p className={styles.subject}>
    <Icon name={icon} />
    <bdi>{text}</bdi>
  </p>
)
