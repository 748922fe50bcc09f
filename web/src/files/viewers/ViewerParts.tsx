import { type ButtonHTMLAttributes, createContext, type ReactNode, use } from 'react'
import { type Keys, useKeys } from '../../commands/keyboard.ts'
import { Spinner } from '../../ui/Button.tsx'
import styles from './ViewerParts.module.css'

/**
 * Where a viewer stands. `screen`: it has the screen for itself. `embedded`: the page around it scrolls. `compact`: it is
 * a small part of a page that has keys and scrolling of its own; it takes neither, and shows the file alone.
 */
export type ViewerMode = 'screen' | 'embedded' | 'compact'

export const ModeContext = createContext<ViewerMode>('screen')

export const useViewerMode = (): ViewerMode => use(ModeContext)

export const useIsCompact = (): boolean => useViewerMode() === 'compact'

/** Keys of a viewer, which a compact one leaves to the page. */
export const useViewerKeys = (keys: Keys): void => useKeys(keys, { isOn: !useIsCompact() })

/** In the middle of a viewer that loads. */
export const Loading = () => (
  <div className={styles.loading}>
    <Spinner />
  </div>
)

interface ReaderProps {
  /** The name of the toolbar. */
  label: string
  tools: ReactNode
  children: ReactNode
}

/** Pages to read, below a toolbar. */
export const Reader = ({ label, tools, children }: ReaderProps) => (
  <div className={styles.reader}>
    <div className={styles.tools} role="toolbar" aria-label={label}>
      {tools}
    </div>
    {children}
  </div>
)

/** Free space between tools. */
export const Gap = () => <span className={styles.gap} />

interface ValueButtonProps extends Pick<ButtonHTMLAttributes<HTMLButtonElement>, 'aria-pressed' | 'onClick'> {
  /** What it does: its name. */
  label: string
  /** The key that does the same. */
  hint: string
  /** What it shows, such as the zoom. */
  value: string
  small?: boolean
}

/** A button that shows a value where others have an icon. */
export const ValueButton = ({ label, hint, value, small = false, ...rest }: ValueButtonProps) => (
  <button
    type="button"
    {...rest}
    className={styles.value}
    aria-label={label}
    data-tip={label}
    data-keys={hint}
    data-value={value}
    data-small={small}
  />
)
