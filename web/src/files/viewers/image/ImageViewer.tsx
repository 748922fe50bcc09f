import { type CSSProperties, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useTranslation } from '../../../i18n/i18n.ts'
import { useTries } from '../../../server/connection.ts'
import { Spinner } from '../../../ui/Button.tsx'
import type { SteadyAddress } from '../steady-address.ts'
import type { Step } from '../stepping.ts'
import { useViewerKeys, useViewerMode } from '../ViewerParts.tsx'
import { useGestures } from './gestures.ts'
import styles from './ImageViewer.module.css'
import { ZoomBar } from './ZoomBar.tsx'
import {
  fit,
  fitting,
  isSoft,
  keepInside,
  maxZoom,
  nextStop,
  pixelScale,
  type Size,
  type Transform,
  turned,
  zoomAt,
} from './zoom.ts'

export interface ImageViewerProps {
  name: string
  /** What is shown at first. */
  address: SteadyAddress
  /** The file itself, where `address` is a smaller image of it and a browser can show it. */
  full?: SteadyAddress | undefined
  /** The size of the file's image: undefined until it is known, null where it cannot be told. */
  trueSize: Size | null | undefined
  /** Loaded without being asked for, where what is shown would look blurred. */
  isFullLight: boolean
  isDrawing: boolean
  /** Shown when the image cannot be. */
  otherwise: ReactNode
  onStep(step: Step): void
}

interface View {
  /** Another image begins with a view of its own. */
  readonly src: string
  /** The size of what is loaded. */
  readonly loaded: Size
  readonly transform: Transform
  readonly quarters: number
  readonly isFull: boolean
  /** The file could not be shown, and the smaller image stays. */
  readonly hasNoFull: boolean
  readonly state: 'loading' | 'shown' | 'failed'
}

const unknown: Size = { width: 0, height: 0 }
const middle = { x: 0, y: 0 }

const firstView = (src: string): View => ({
  src,
  loaded: unknown,
  transform: fitting,
  quarters: 0,
  isFull: false,
  hasNoFull: false,
  state: 'loading',
})

/** An image with zoom, move and turn. Always an `img`, so that nothing inside the file can run. */
export function ImageViewer(props: ImageViewerProps) {
  const { name, address, full, trueSize, isFullLight, isDrawing, otherwise, onStep } = props
  const { t } = useTranslation()
  const mode = useViewerMode()
  const isCompact = mode === 'compact'
  const stage = useRef<HTMLDivElement>(null)
  const space = useSize(stage)
  const [held, setView] = useState(() => firstView(address.src))
  const view = held.src === address.src ? held : firstView(address.src)
  if (view !== held) setView(view)
  const { loaded, transform, quarters, isFull, state } = view
  const hasFailed = state === 'failed'
  // What an image reports when another one is in view already is ignored.
  const change = (next: Partial<View>) => setView((now) => (now.src === view.src ? { ...now, ...next } : now))

  // Where only a smaller image is loaded, the size of the file counts. Until it is known nothing is shown, for a moment.
  const isWaiting = useMoment(full !== undefined && trueSize === undefined, view.src)
  const isShown = state === 'shown' && !isWaiting
  const density = useDensity()
  const upright = turned((full === undefined ? null : trueSize) ?? loaded, quarters)
  const fitted = fit(upright, space, isDrawing)
  const limit = maxZoom(upright, fitted)
  const transformBy = (make: (now: Transform) => Transform) =>
    // Several events may come between two renderings: each goes on from the one before.
    setView((now) => ({ ...now, transform: keepInside(make(now.transform), fitted, space) }))
  const zoomTo = (zoom: number, at = middle) => transformBy((now) => zoomAt(now, zoom, at, limit))
  const zoomBy = (factor: number, at = middle) => transformBy((now) => zoomAt(now, now.zoom * factor, at, limit))
  const reset = () => change({ transform: fitting })
  const shown = keepInside(transform, fitted, space)
  const scale = pixelScale(shown.zoom, upright, fitted, density)
  const actual = shown.zoom / scale
  const isActual = Math.abs(shown.zoom - actual) < 0.001
  const isLarger = fitted.width * transform.zoom > space.width + 1 || fitted.height * transform.zoom > space.height + 1

  const turn = () => change({ quarters: quarters + 1, transform: fitting })
  const toggleActual = () => {
    if (isActual) return reset()
    zoomTo(actual)
    if (full !== undefined && !view.hasNoFull) change({ isFull: true })
  }

  const isBlurred = isShown && !isDrawing && isSoft(fitted.width * shown.zoom, density, turned(loaded, quarters).width)
  const isWorthFull = full !== undefined && !isFull && !view.hasNoFull && !isCompact && (isFullLight || shown.zoom > 1)
  const sharpen = useEffectEvent(() => change({ isFull: true }))
  useEffect(() => {
    if (isBlurred && isWorthFull) sharpen()
  }, [isBlurred, isWorthFull])

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
    if (isFull && state === 'shown') return change({ isFull: false, hasNoFull: true })
    // Browsers may be able to show what the server could make no image of.
    change(full === undefined || isFull ? { state: 'failed' } : { isFull: true })
  }

  const size = turned(fitted, quarters)
  const src = isFull && full !== undefined ? full.src : address.src
  return (
    <>
      <div ref={stage} className={styles.stage} data-larger={isLarger} data-mode={mode} {...handlers}>
        {!isShown && !hasFailed && (
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
            isShown={isShown}
            style={{
              inlineSize: size.width,
              blockSize: size.height,
              transform: `translate(${shown.x}px, ${shown.y}px) rotate(${quarters * 90}deg) scale(${shown.zoom})`,
            }}
            onLoaded={(size) => change({ loaded: size, state: 'shown' })}
            onFailed={onFailed}
          />
        )}
      </div>
      {hasFailed && otherwise}
      {!hasFailed && !isCompact && (
        <ZoomBar
          label={t('preview.view')}
          scale={isShown ? scale : null}
          isFitting={shown.zoom === 1}
          isActual={shown.zoom !== 1 && isActual}
          hasFull={full !== undefined}
          onZoomIn={larger}
          onZoomOut={smaller}
          onReset={reset}
          onActual={toggleActual}
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

const longestMoment = 400

/** True while it is asked for, and no longer than a moment for each image. */
function useMoment(isAsked: boolean, of: string): boolean {
  const [over, setOver] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setOver(of), longestMoment)
    return () => clearTimeout(timer)
  }, [of])
  return isAsked && over !== of
}

/** Pixels of the screen in one of CSS. It changes with the zoom of the browser, and from one screen to the other. */
function useDensity(): number {
  const [density, setDensity] = useState(devicePixelRatio || 1)
  useEffect(() => {
    const list = matchMedia(`(resolution: ${density}dppx)`)
    const onChange = () => setDensity(devicePixelRatio || 1)
    list.addEventListener('change', onChange)
    return () => list.removeEventListener('change', onChange)
  }, [density])
  return density
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
