import { type CSSProperties, type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from '../../../i18n/i18n.ts'
import { useTries } from '../../../server/connection.ts'
import { Spinner } from '../../../ui/Button.tsx'
import type { SteadyAddress } from '../steady-address.ts'
import type { Step } from '../stepping.ts'
import { useViewerKeys, useViewerMode } from '../ViewerParts.tsx'
import { useGestures } from './gestures.ts'
import styles from './ImageViewer.module.css'
import { ZoomBar } from './ZoomBar.tsx'
import { fit, fitting, keepInside, maxZoom, nextStop, type Size, type Transform, turned, zoomAt } from './zoom.ts'

export interface ImageViewerProps {
  name: string
  /** What is shown at first. */
  address: SteadyAddress
  /** The file itself, where `address` is a smaller image of it and a browser can show it. */
  full?: SteadyAddress | undefined
  /** Shown when the image cannot be. */
  otherwise: ReactNode
  onStep(step: Step): void
}

interface View {
  /** Another image begins with a view of its own. */
  readonly src: string
  readonly natural: Size
  readonly transform: Transform
  readonly quarters: number
  readonly isFull: boolean
  readonly state: 'loading' | 'shown' | 'failed'
}

const unknown: Size = { width: 0, height: 0 }
const middle = { x: 0, y: 0 }

const firstView = (src: string): View => ({
  src,
  natural: unknown,
  transform: fitting,
  quarters: 0,
  isFull: false,
  state: 'loading',
})

/** An image with zoom, move and turn. Always an `img`, so that nothing inside the file can run. */
export function ImageViewer({ name, address, full, otherwise, onStep }: ImageViewerProps) {
  const { t } = useTranslation()
  const mode = useViewerMode()
  const isCompact = mode === 'compact'
  const stage = useRef<HTMLDivElement>(null)
  const space = useSize(stage)
  const [held, setView] = useState(() => firstView(address.src))
  const view = held.src === address.src ? held : firstView(address.src)
  if (view !== held) setView(view)
  const { natural, transform, quarters, isFull, state } = view
  const hasFailed = state === 'failed'
  // What an image reports when another one is in view already is ignored.
  const change = (next: Partial<View>) => setView((now) => (now.src === view.src ? { ...now, ...next } : now))

  const upright = turned(natural, quarters)
  const fitted = fit(upright, space)
  const limit = maxZoom(upright, fitted)
  const transformBy = (make: (now: Transform) => Transform) =>
    // Several events may come between two renderings: each goes on from the one before.
    setView((now) => ({ ...now, transform: keepInside(make(now.transform), fitted, space) }))
  const zoomTo = (zoom: number, at = middle) => transformBy((now) => zoomAt(now, zoom, at, limit))
  const zoomBy = (factor: number, at = middle) => transformBy((now) => zoomAt(now, now.zoom * factor, at, limit))
  const reset = () => change({ transform: fitting })
  const shown = keepInside(transform, fitted, space)
  const actual = fitted.width === 0 ? 1 : upright.width / fitted.width
  const isActual = Math.abs(shown.zoom - actual) < 0.001
  const isLarger = fitted.width * transform.zoom > space.width + 1 || fitted.height * transform.zoom > space.height + 1

  const turn = () => change({ quarters: quarters + 1, transform: fitting })
  const toggleActual = () => (isActual ? reset() : zoomTo(actual))

  const handlers = useGestures(
    stage,
    {
      onZoom: zoomBy,
      onDrag: (dx, dy) => transformBy((now) => ({ ...now, x: now.x + dx, y: now.y + dy })),
      onSwipe: onStep,
      onDoubleTap: (at) => zoomTo(nextStop(transform.zoom), at),
      canDrag: () => isLarger,
    },
    mode,
  )
  const larger = () => zoomBy(1.25)
  const smaller = () => zoomBy(1 / 1.25)
  useViewerKeys(hasFailed ? {} : { '+': larger, '=': larger, '-': smaller, '0': reset, '1': toggleActual, r: turn })

  function onFailed() {
    if (isFull ? full?.renew() : address.renew()) return
    // Browsers may be able to show what the server could make no image of.
    change(full === undefined || isFull ? { state: 'failed' } : { isFull: true })
  }

  const size = turned(fitted, quarters)
  const src = isFull && full !== undefined ? full.src : address.src
  return (
    <>
      <div ref={stage} className={styles.stage} data-larger={isLarger} data-mode={mode} {...handlers}>
        {state === 'loading' && (
          <span className={styles.waiting}>
            <Spinner />
          </span>
        )}
        {!hasFailed && (
          <StagedImage
            key={view.src}
            src={src}
            name={name}
            zoom={shown.zoom}
            isShown={state === 'shown'}
            style={{
              inlineSize: size.width,
              blockSize: size.height,
              transform: `translate(${shown.x}px, ${shown.y}px) rotate(${quarters * 90}deg) scale(${shown.zoom})`,
            }}
            onLoaded={(loaded) => change({ natural: loaded, state: 'shown' })}
            onFailed={onFailed}
          />
        )}
      </div>
      {hasFailed && otherwise}
      {!hasFailed && !isCompact && (
        <ZoomBar
          zoom={shown.zoom}
          isActual={actual !== 1 && isActual}
          isFull={full === undefined ? null : isFull}
          label={t('preview.view')}
          onZoomIn={larger}
          onZoomOut={smaller}
          onReset={reset}
          onActual={toggleActual}
          onFull={() => change({ isFull: !isFull })}
          onTurn={turn}
        />
      )}
    </>
  )
}

interface StagedImageProps {
  src: string
  name: string
  zoom: number
  isShown: boolean
  style: CSSProperties
  onLoaded(natural: Size): void
  onFailed(): void
}

function StagedImage({ src, name, zoom, isShown, style, onLoaded, onFailed }: StagedImageProps) {
  const { tries, onError } = useTries(onFailed)
  return (
    <img
      key={tries}
      className={styles.image}
      src={src}
      alt={name}
      draggable={false}
      data-zoom={zoom}
      data-shown={isShown}
      style={style}
      onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
        // A drawing may have no size of its own; then it gets one to be fitted from.
        onLoaded(naturalWidth > 0 ? { width: naturalWidth, height: naturalHeight } : { width: 1000, height: 1000 })
      }
      onError={onError}
    />
  )
}

function useSize(ref: { current: HTMLElement | null }): Size {
  const [size, setSize] = useState(unknown)
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
