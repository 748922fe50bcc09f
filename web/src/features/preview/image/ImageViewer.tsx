import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useTries } from '../../../api/line.ts'
import { Spinner } from '../../../ui/Button.tsx'
import { useKeys } from '../keys.ts'
import { useGestures } from './gestures.ts'
import styles from './ImageViewer.module.css'
import { ZoomBar } from './ZoomBar.tsx'
import { fit, fitting, keepInside, type Lie, maxZoom, nextStop, type Size, turned, zoomAt } from './zoom.ts'

export interface ImageViewerProps {
  name: string
  /** What is shown at first. */
  src: string
  /** The file itself, where `src` is a smaller picture of it and a browser can show it. */
  fullSrc?: string | undefined
  /** Shown when the picture cannot be. */
  otherwise: ReactNode
  onStep(step: -1 | 1): void
}

const nothing: Size = { width: 0, height: 0 }
const middle = { x: 0, y: 0 }

/** A picture with zoom, move and turn. Always an `img`, so that whatever is inside it cannot run. */
export function ImageViewer({ name, src, fullSrc, otherwise, onStep }: ImageViewerProps) {
  const { t } = useTranslation()
  const stage = useRef<HTMLDivElement>(null)
  const space = useSize(stage)
  const [natural, setNatural] = useState(nothing)
  const [lie, setLie] = useState<Lie>(fitting)
  const [quarters, setQuarters] = useState(0)
  const [isFull, setIsFull] = useState(false)
  const [state, setState] = useState<'loading' | 'shown' | 'failed'>('loading')

  const { tries, onError } = useTries(() => setState('failed'))

  const seen = turned(natural, quarters)
  const fitted = fit(seen, space)
  const most = maxZoom(seen, fitted)
  const place = (next: Lie) => setLie(keepInside(next, fitted, space))
  const zoomTo = (zoom: number, at = middle) => place(zoomAt(lie, zoom, at, most))
  const shown = keepInside(lie, fitted, space)
  const actual = fitted.width === 0 ? 1 : seen.width / fitted.width
  const isLarger = fitted.width * lie.zoom > space.width + 1 || fitted.height * lie.zoom > space.height + 1

  const turn = () => {
    setQuarters(quarters + 1)
    setLie(fitting)
  }
  const toggleActual = () => (Math.abs(lie.zoom - actual) < 0.001 ? setLie(fitting) : zoomTo(actual))

  const handlers = useGestures(stage, {
    // Several events may come between two renderings: each goes on from the one before.
    onZoom: (factor, at) => setLie((now) => keepInside(zoomAt(now, now.zoom * factor, at, most), fitted, space)),
    onDrag: (dx, dy) => setLie((now) => keepInside({ ...now, x: now.x + dx, y: now.y + dy }, fitted, space)),
    onSwipe: onStep,
    onDoubleTap: (at) => zoomTo(nextStop(lie.zoom), at),
    canDrag: () => isLarger,
  })
  useKeys({
    '+': () => zoomTo(lie.zoom * 1.25),
    '=': () => zoomTo(lie.zoom * 1.25),
    '-': () => zoomTo(lie.zoom / 1.25),
    '0': () => setLie(fitting),
    '1': toggleActual,
    r: turn,
  })

  if (state === 'failed') return otherwise
  return (
    <>
      <div ref={stage} className={styles.stage} data-larger={isLarger} {...handlers}>
        {state === 'loading' && (
          <span className={styles.waiting}>
            <Spinner />
          </span>
        )}
        <img
          key={tries}
          className={styles.picture}
          src={isFull ? fullSrc : src}
          alt={name}
          draggable={false}
          data-zoom={shown.zoom}
          data-shown={state === 'shown'}
          style={{
            inlineSize: turned(fitted, quarters).width,
            blockSize: turned(fitted, quarters).height,
            transform: `translate(${shown.x}px, ${shown.y}px) rotate(${quarters * 90}deg) scale(${shown.zoom})`,
          }}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
            // A drawing may have no size of its own; then it gets one to be fitted from.
            setNatural(
              naturalWidth > 0 ? { width: naturalWidth, height: naturalHeight } : { width: 1000, height: 1000 },
            )
            setState('shown')
          }}
          onError={onError}
        />
      </div>
      <ZoomBar
        zoom={shown.zoom}
        isActual={actual !== 1 && Math.abs(shown.zoom - actual) < 0.001}
        isFull={fullSrc === undefined ? null : isFull}
        label={t('preview.view')}
        onZoomIn={() => zoomTo(lie.zoom * 1.25)}
        onZoomOut={() => zoomTo(lie.zoom / 1.25)}
        onReset={() => setLie(fitting)}
        onActual={toggleActual}
        onFull={() => setIsFull(!isFull)}
        onTurn={turn}
      />
    </>
  )
}

function useSize(ref: { current: HTMLElement | null }): Size {
  const [size, setSize] = useState(nothing)
  useEffect(() => {
    const element = ref.current
    if (element === null) return
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight })
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    measure()
    return () => observer.disconnect()
  }, [ref])
  return size
}
