import { useVirtualizer } from '@tanstack/react-virtual'
import { type MouseEvent, useEffect, useRef, useState } from 'react'
import { useTries } from '../../../api/line.ts'
import { FileMark } from '../../../ui/Icon.tsx'
import styles from './Filmstrip.module.css'

export interface Frame {
  name: string
  href: string
  /** Null where there are no thumbnails. */
  thumb: string | null
}

const frameWidth = 70

/** The pictures of a folder in a row. Only those in view are there: a folder may hold thousands. */
export function Filmstrip({
  label,
  frames,
  current,
  onOpen,
}: {
  label: string
  frames: readonly Frame[]
  current: string
  onOpen(name: string): void
}) {
  const strip = useRef<HTMLDivElement>(null)
  const isRtl = document.documentElement.dir === 'rtl'
  const virtual = useVirtualizer({
    count: frames.length,
    horizontal: true,
    isRtl,
    getScrollElement: () => strip.current,
    estimateSize: () => frameWidth,
    overscan: 4,
    initialRect: { width: 1000, height: 68 },
  })
  const index = frames.findIndex(({ name }) => name === current)

  useEffect(() => {
    if (index !== -1) virtual.scrollToIndex(index, { align: 'center' })
  }, [virtual, index])

  function open(event: MouseEvent, name: string) {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    onOpen(name)
  }

  return (
    <nav ref={strip} className={styles.strip} aria-label={label} data-bar>
      <div className={styles.film} style={{ inlineSize: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index: at, start }) => {
          const frame = frames[at]
          if (frame === undefined) return null
          return (
            <a
              key={frame.name}
              className={styles.frame}
              href={frame.href}
              aria-label={frame.name}
              title={frame.name}
              aria-current={frame.name === current || undefined}
              style={{ insetInlineStart: start }}
              draggable={false}
              onClick={(event) => open(event, frame.name)}
            >
              {frame.thumb === null ? <FileMark name="image" /> : <Thumb src={frame.thumb} />}
            </a>
          )
        })}
      </div>
    </nav>
  )
}

/** One that cannot be had leaves its frame empty. */
function Thumb({ src }: { src: string }) {
  const [isMissing, setIsMissing] = useState(false)
  const { tries, onError } = useTries(() => setIsMissing(true))
  return (
    <img
      key={tries}
      src={src}
      alt=""
      loading="lazy"
      decoding="async"
      draggable={false}
      hidden={isMissing}
      onError={onError}
    />
  )
}
