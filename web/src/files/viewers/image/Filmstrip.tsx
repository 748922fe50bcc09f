import { useVirtualizer } from '@tanstack/react-virtual'
import { type MouseEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from '../../../i18n/i18n.ts'
import { useTries } from '../../../server/connection.ts'
import type { Entry } from '../../../server/queries/resources.ts'
import badge from '../../../ui/Badge.module.css'
import { isRightToLeft } from '../../../ui/direction.ts'
import { FileMark, Icon } from '../../../ui/Icon.tsx'
import styles from './Filmstrip.module.css'

const frameWidth = 70

interface FilmstripProps {
  label: string
  images: readonly Entry[]
  /** The index of the one in view; -1 for none. */
  current: number
  hrefOf(image: Entry): string
  /** Null where there are no thumbnails. */
  thumbnailOf(image: Entry): string | null
  onOpen(image: Entry): void
  /** The paths that are selected. */
  picked?: ReadonlySet<string> | undefined
}

/** The images of a listing in a row. Addresses are made for those in view alone: a folder may hold 20,000. */
export function Filmstrip({ label, images, current, hrefOf, thumbnailOf, onOpen, picked }: FilmstripProps) {
  const { t } = useTranslation()
  const strip = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: images.length,
    horizontal: true,
    isRtl: isRightToLeft(),
    getScrollElement: () => strip.current,
    estimateSize: () => frameWidth,
    overscan: 4,
    initialRect: { width: 1000, height: 68 },
  })

  useEffect(() => {
    if (current !== -1) virtual.scrollToIndex(current, { align: 'center' })
  }, [virtual, current])

  function open(event: MouseEvent, image: Entry) {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    onOpen(image)
  }

  return (
    <nav ref={strip} className={styles.strip} aria-label={label} data-bar>
      <div className={styles.film} style={{ inlineSize: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const image = images[index]
          if (image === undefined) return null
          const thumbnail = thumbnailOf(image)
          return (
            <a
              key={image.path}
              className={styles.frame}
              href={hrefOf(image)}
              aria-label={image.name}
              data-tip={image.name}
              aria-current={index === current || undefined}
              data-picked={picked?.has(image.path)}
              aria-description={picked?.has(image.path) === true ? t('preview.picked') : undefined}
              style={{ insetInlineStart: start }}
              draggable={false}
              onClick={(event) => open(event, image)}
            >
              {thumbnail === null ? <FileMark name="image" /> : <Thumbnail key={image.modified} src={thumbnail} />}
              {picked?.has(image.path) === true && (
                <span className={`${badge.badge} ${styles.picked}`}>
                  <Icon name="check" small />
                </span>
              )}
            </a>
          )
        })}
      </div>
    </nav>
  )
}

function Thumbnail({ src }: { src: string }) {
  const [isMissing, setIsMissing] = useState(false)
  const [isLoaded, setIsLoaded] = useState(false)
  const { tries, onError } = useTries(() => setIsMissing(true))
  if (isMissing) return <FileMark name="image" />
  return (
    <img
      key={tries}
      src={src}
      alt=""
      loading="lazy"
      decoding="async"
      draggable={false}
      data-loaded={isLoaded}
      onLoad={() => setIsLoaded(true)}
      onError={onError}
    />
  )
}
