import { useEffect, useState } from 'react'
import { rawUrl } from '../../server/queries/resources.ts'

export interface Resolution {
  width: number
  height: number
}

/** The size of an image in pixels. Its first bytes contain it, so the rest is not loaded. */
export function useResolution(path: string | null): Resolution | null {
  const [resolution, setResolution] = useState<Resolution | null>(null)

  useEffect(() => {
    if (path === null) return
    const image = new Image()
    let frame = 0
    const check = () => {
      if (image.naturalWidth > 0) {
        setResolution({ width: image.naturalWidth, height: image.naturalHeight })
        image.src = ''
      } else if (!image.complete) frame = requestAnimationFrame(check)
    }
    image.onload = check
    image.src = rawUrl(path, { inline: true })
    check()
    return () => {
      cancelAnimationFrame(frame)
      image.onload = null
      image.src = ''
    }
  }, [path])

  return resolution
}
