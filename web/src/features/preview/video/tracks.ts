import { type RefObject, useEffect, useState } from 'react'

/** Which subtitles are shown: the number of the track, or -1 for none. The first are on from the start. */
export function useTracks(video: RefObject<HTMLVideoElement | null>, count: number) {
  const [shown, setShown] = useState(count > 0 ? 0 : -1)

  useEffect(() => {
    const tracks = video.current?.textTracks
    for (let index = 0; tracks !== undefined && index < tracks.length; index += 1) {
      const track = tracks[index]
      if (track !== undefined) track.mode = index === shown ? 'showing' : 'disabled'
    }
  }, [video, shown])

  return { shown, choose: setShown, toggle: () => count > 0 && setShown(shown === -1 ? 0 : -1) }
}

export type Tracks = ReturnType<typeof useTracks>
