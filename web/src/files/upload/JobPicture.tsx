import { useEffect, useRef, useState } from 'react'
import { perSession } from '../../state/session-scope.ts'
import { FileMark } from '../../ui/Icon.tsx'
import { markOf } from '../marks/mark-of.ts'
import styles from './JobRow.module.css'
import type { Job } from './queue.ts'

/** Reading a larger picture would take longer than it is looked at, in bytes. */
const largest = 25 * 1024 * 1024
/** Twice as wide as it is shown, for dense screens. */
const width = 64

/** Small pictures of files that were looked at, made once: rows come and go while the list is scrolled. */
const thumbnails = perSession(() => new WeakMap<File, Promise<ImageBitmap | null>>())

/** A thumbnail of a picture that is sent, made from the file itself; the mark of its kind for everything else. */
export function JobPicture({ job }: { job: Job }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [bitmap, setBitmap] = useState<ImageBitmap | null>(null)
  const file = job.kind === 'file' && isPicture(job.file) ? job.file : null

  useEffect(() => {
    if (file === null) return
    let isMounted = true
    void thumbnailOf(file).then((found) => isMounted && setBitmap(found))
    return () => {
      isMounted = false
    }
  }, [file])

  useEffect(() => {
    if (bitmap !== null) canvas.current?.getContext('2d')?.drawImage(bitmap, 0, 0)
  }, [bitmap])

  if (bitmap === null) return <FileMark name={markOf({ name: job.name, isDir: job.kind === 'folder' })} />
  return <canvas ref={canvas} className={styles.thumbnail} width={bitmap.width} height={bitmap.height} />
}

const isPicture = ({ type, size }: File): boolean =>
  /^image\/(jpeg|png|webp|gif|avif)$/.test(type) && size > 0 && size <= largest

function thumbnailOf(file: File): Promise<ImageBitmap | null> {
  let thumbnail = thumbnails().get(file)
  if (thumbnail === undefined) {
    thumbnail = createImageBitmap(file, { resizeWidth: width, resizeQuality: 'medium' }).catch(() => null)
    thumbnails().set(file, thumbnail)
  }
  return thumbnail
}
