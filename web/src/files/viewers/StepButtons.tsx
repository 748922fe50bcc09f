import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { Icon } from '../../ui/Icon.tsx'
import type { Neighbours } from './neighbours.ts'
import styles from './StepButtons.module.css'
import type { Step } from './stepping.ts'

type Side = 'previous' | 'next'

interface StepButtonsOptions {
  /** Where the buttons are; they may stand in different parts of it for different kinds of files. */
  frame: RefObject<HTMLElement | null>
  path: string
  neighbours: Neighbours
  onStep(step: Step): void
}

/**
 * The buttons to the file before and after; there is none at the ends. A hook, because it remembers which one was pressed
 * while the buttons move from one part of the frame to another.
 */
export function useStepButtons({ frame, path, neighbours, onStep }: StepButtonsOptions): ReactNode {
  const keepFocus = useFocusOnSide(frame, path)
  const { previous, next } = neighbours
  function step(side: Side) {
    keepFocus(side)
    onStep(side === 'next' ? 1 : -1)
  }
  return (
    <>
      {previous !== null && <StepButton side="previous" onClick={() => step('previous')} />}
      {next !== null && <StepButton side="next" onClick={() => step('next')} />}
    </>
  )
}

/** Such as "4 / 12"; null for a file that cannot be stepped to, or that is alone. */
export function usePosition({ position, all }: Neighbours): string | null {
  const { t } = useTranslation()
  if (position === -1 || all.length < 2) return null
  return t('preview.position', { position: position + 1, count: all.length })
}

/** The button that was pressed keeps the focus; at the end of the folder, where it is gone, the other one gets it. */
function useFocusOnSide(frame: RefObject<HTMLElement | null>, path: string): (side: Side) => void {
  const pressed = useRef<Side | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the file is the trigger, not an input
  useEffect(() => {
    const side = pressed.current
    pressed.current = null
    if (side === null) return
    const buttons = [...(frame.current?.querySelectorAll<HTMLElement>('[data-side]') ?? [])]
    const button = buttons.find(({ dataset }) => dataset.side === side) ?? buttons[0]
    button?.focus()
  }, [frame, path])
  return (side) => {
    pressed.current = side
  }
}

function StepButton({ side, onClick }: { side: Side; onClick(): void }) {
  const { t } = useTranslation()
  const label = t(`preview.${side}`)
  return (
    <div data-bar>
      <button
        type="button"
        className={styles.step}
        data-side={side}
        aria-label={label}
        data-tip={label}
        onClick={onClick}
      >
        <Icon name={side === 'next' ? 'chevron-right' : 'chevron-left'} />
      </button>
    </div>
  )
}
