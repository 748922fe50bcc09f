import { useEffect, useState } from 'react'
import { rawUrl } from '../../api/resources.ts'

export interface Resolution {
  width: number
  height: number
}

/** How many pixels an image has. The first bytes say it, so the rest is not waited for. */
export function useResolution(path: string | null): Resolution | null {
  const [resolution, setResolution] = useState<Resolution | null>(null)

  useEffect(() => {
    if (path === null) return
    const image = new Image()
    let frame = 0
    const look = () => {
      if (image.naturalWidth > 0) {
        setResolution({ width: image.naturalWidth, height: image.naturalHeight })
        image.src = ''
      } else if (!image.complete) frame = requestAnimationFrame(look)
    }
    image.onload = look
    image.src = rawUrl(path, { inline: true })
    look()
    return () => {
      cancelAnimationFrame(frame)
      image.onload = null
      image.src = ''
    }
  }, [path])

  return resolution
}
