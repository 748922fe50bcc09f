import { type KeyboardEvent, useState } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { note } from '../../state/personal-storage.ts'
import { isRightToLeft } from '../../ui/direction.ts'
import { followPointer } from '../../ui/follow-pointer.ts'
import styles from './SidebarResizer.module.css'

/** In pixels: names of a few words fit, and the files keep most of the window. */
const narrowest = 200
const widest = () => Math.max(narrowest, Math.min(480, Math.round(window.innerWidth * 0.4)))
const usual = 244
const keyStep = 16

/** Read at the start of the page, in app/Shell.tsx. */
const storageKey = 'filestead.sidebar-width'

function apply(width: number | null): void {
  const { style } = document.documentElement
  if (width === null) {
    style.removeProperty('--sidebar-w')
    localStorage.removeItem(storageKey)
  } else {
    style.setProperty('--sidebar-w', `${width}px`)
    note(localStorage, storageKey, String(width))
  }
}

/** The edge of the sidebar: dragged, or moved by the arrow keys. A double click brings the usual width back. */
export function SidebarResizer() {
  const { t } = useTranslation()
  const [width, setWidth] = useState(() => Number(localStorage.getItem(storageKey)) || null)
  const now = width ?? usual
  const change = (next: number | null) => {
    setWidth(next)
    apply(next)
  }
  const resize = (next: number) => change(Math.round(Math.min(widest(), Math.max(narrowest, next))))
  const outwards = isRightToLeft() ? -1 : 1

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'ArrowRight') resize(now + outwards * keyStep)
    else if (event.key === 'ArrowLeft') resize(now - outwards * keyStep)
    else if (event.key === 'Home') resize(narrowest)
    else if (event.key === 'End') resize(widest())
    else return
    event.preventDefault()
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved; this one can
    <div
      role="separator"
      aria-label={t('tree.resize')}
      aria-orientation="vertical"
      aria-valuenow={now}
      aria-valuemin={narrowest}
      aria-valuemax={widest()}
      tabIndex={0}
      className={styles.edge}
      data-own-keys=""
      onPointerDown={(event) => followPointer(event, (right) => resize(now + outwards * right))}
      onKeyDown={onKeyDown}
      onDoubleClick={() => change(null)}
    />
  )
}
