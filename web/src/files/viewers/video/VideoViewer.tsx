import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { sessionSignal } from '../../../state/session-scope.ts'
import { PlayButton } from '../MediaControls.tsx'
import { usePlayback } from '../playback.ts'
import { positionStore } from '../positions.ts'
import type { SteadyAddress } from '../steady-address.ts'
import { useViewerKeys, useViewerMode } from '../ViewerParts.tsx'
import { useTracks, VideoControls } from './VideoControls.tsx'
import styles from './VideoViewer.module.css'

export interface VideoViewerProps {
  name: string
  address: SteadyAddress
  tracks: readonly { label: string; src: string }[]
  /** Under which key the position is kept; null keeps none. */
  positionKey: string | null
  /** Shown when the browser cannot play it. */
  otherwise: ReactNode
  onPlaying(isPlaying: boolean): void
}

const positions = positionStore<number>('film-places', 200)
const skipSeconds = 10

export function VideoViewer({ name, address, tracks, positionKey, otherwise, onPlaying }: VideoViewerProps) {
  const screen = useRef<HTMLDivElement>(null)
  const video = useRef<HTMLVideoElement>(null)
  const player = usePlayback(video, address)
  const captions = useTracks(video, tracks.length)
  const mode = useViewerMode()
  const { isPlaying, hasFailed } = player.playback
  const back = () => player.skip(-skipSeconds)
  const forward = () => player.skip(skipSeconds)
  const toggleFull = () => toggleFullScreen(screen.current, video.current)

  useEffect(() => onPlaying(isPlaying), [isPlaying, onPlaying])
  useKeptPosition(video, positionKey)
  const keys = {
    ' ': player.toggle,
    k: player.toggle,
    ArrowLeft: back,
    ArrowRight: forward,
    ArrowUp: player.louder,
    ArrowDown: player.softer,
    m: player.toggleMuted,
    f: toggleFull,
    c: captions.toggle,
  }
  useViewerKeys(hasFailed ? {} : keys)

  if (hasFailed) return otherwise
  return (
    <div ref={screen} className={styles.screen} data-mode={mode}>
      {/* biome-ignore lint/a11y/useMediaCaption: the captions are those that lie beside the file */}
      <video
        ref={video}
        className={styles.video}
        src={address.src}
        aria-label={name}
        playsInline
        preload="metadata"
        onClick={({ nativeEvent }) => {
          // A finger on a running film asks for the controls, not for a break.
          if (!isPlaying || (nativeEvent as PointerEvent).pointerType !== 'touch') player.toggle()
        }}
        onDoubleClick={toggleFull}
      >
        {tracks.map((track, index) => (
          <track key={track.src} kind="subtitles" label={track.label} src={track.src} default={index === 0} />
        ))}
      </video>
      {!isPlaying && (
        <div className={styles.start} aria-hidden="true" inert>
          <PlayButton player={player} isBig />
        </div>
      )}
      <VideoControls
        player={player}
        video={video}
        captions={captions}
        labels={tracks.map((track) => track.label)}
        skipSeconds={skipSeconds}
        onFull={toggleFull}
      />
    </div>
  )
}

/** Safari on iPhones has the full screen for the video element alone. */
function toggleFullScreen(screen: HTMLElement | null, video: HTMLVideoElement | null): void {
  if (document.fullscreenElement !== null) return void document.exitFullscreen()
  if (typeof screen?.requestFullscreen === 'function') return void screen.requestFullscreen().catch(() => {})
  const phone = video as (HTMLVideoElement & { webkitEnterFullscreen?: () => void }) | null
  phone?.webkitEnterFullscreen?.()
}

/** Starts where the film was left. A position near the beginning or the end is not kept. */
function useKeptPosition(video: RefObject<HTMLVideoElement | null>, key: string | null): void {
  useEffect(() => {
    const element = video.current
    if (element === null || key === null) return
    const start = () => {
      const at = positions.get(key)
      if (at !== null && at < element.duration) element.currentTime = at
    }
    let saved = 0
    const session = sessionSignal()
    const save = () => {
      const { currentTime: at, duration } = element
      if (!(duration > 0) || session.aborted) return
      saved = at
      positions.set(key, at > 5 && at < duration - 5 ? at : null)
    }
    const saveNowAndThen = () => Math.abs(element.currentTime - saved) > 5 && save()
    if (element.readyState > 0) start()
    else element.addEventListener('loadedmetadata', start, { once: true })
    element.addEventListener('timeupdate', saveNowAndThen)
    element.addEventListener('pause', save)
    element.addEventListener('seeked', save)
    addEventListener('pagehide', save)
    return () => {
      if (element.readyState > 0) save()
      element.removeEventListener('loadedmetadata', start)
      element.removeEventListener('timeupdate', saveNowAndThen)
      element.removeEventListener('pause', save)
      element.removeEventListener('seeked', save)
      removeEventListener('pagehide', save)
    }
  }, [video, key])
}
