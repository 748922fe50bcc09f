import { useEffect, useState } from 'react'
import { useTries } from '../../server/connection.ts'
import { perSession } from '../../state/session-scope.ts'
import type { FileMarkName } from '../../ui/file-marks.tsx'
import { FileMark } from '../../ui/Icon.tsx'
import styles from './Picture.module.css'

interface PictureProps {
  mark: FileMarkName
  /** The address of a thumbnail, where there is one. */
  thumbnail: string | null
  /** A larger one: of 1024 pixels where the other has 512. */
  largeThumbnail?: string | null
  /** Of the larger one, in CSS pixels. */
  width?: number
  /** The text for it; empty where the name stands beside it. */
  alt: string
}

/** A row that is only scrolled past does not ask the server for its thumbnail. */
const delay = 60

/** Addresses that gave no picture, so that scrolling back does not ask again. The oldest are forgotten. */
const failed = perSession(() => new Set<string>())
const mostFailed = 5000

function noteFailed(address: string): void {
  for (const oldest of failed()) {
    if (failed().size < mostFailed) break
    failed().delete(oldest)
  }
  failed().add(address)
}

/** An image that leaves the page goes on loading unless its address is taken away. */
const stopLoadingLater = (image: HTMLImageElement) => () => {
  image.removeAttribute('srcset')
  image.removeAttribute('src')
}

/** The thumbnail of a file, or the mark of its kind while there is none. */
export function Picture({ mark, thumbnail, largeThumbnail = null, width = 0, alt }: PictureProps) {
  const [shown, setShown] = useState<string | null>(null)
  const [isLoaded, setIsLoaded] = useState(false)
  const { tries, onError } = useTries(() => {
    if (shown !== null) noteFailed(shown)
    setShown(null)
  })

  useEffect(() => {
    if (thumbnail === null || failed().has(thumbnail)) return
    const timer = setTimeout(() => setShown(thumbnail), delay)
    return () => {
      clearTimeout(timer)
      setShown(null)
      setIsLoaded(false)
    }
  }, [thumbnail])

  const isMarkAlone = thumbnail === null || failed().has(thumbnail)
  return (
    <>
      {!isLoaded && <FileMark name={mark} isAlone={isMarkAlone} />}
      {shown !== null && (
        <img
          key={tries}
          ref={stopLoadingLater}
          className={styles.thumbnail}
          {...(largeThumbnail !== null && {
            srcSet: `${shown} 512w, ${largeThumbnail} 1024w`,
            sizes: `${Math.round(width)}px`,
          })}
          src={shown}
          alt={alt}
          data-loaded={isLoaded}
          draggable={false}
          onLoad={() => setIsLoaded(true)}
          onError={onError}
        />
      )}
    </>
  )
}
