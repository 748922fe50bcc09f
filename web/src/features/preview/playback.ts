import { type RefObject, useEffect, useState } from 'react'
import { goesOn, goOn } from './going-on.ts'

export interface Playback {
  isPlaying: boolean
  at: number
  duration: number
  volume: number
  isMuted: boolean
  speed: number
  hasFailed: boolean
}

const still: Playback = { isPlaying: false, at: 0, duration: 0, volume: 1, isMuted: false, speed: 1, hasFailed: false }
const volumeKey = 'filestead.volume'

/** What a media element does, and ways to make it do something else. */
export function usePlayback(media: RefObject<HTMLMediaElement | null>) {
  const [playback, setPlayback] = useState(still)

  useEffect(() => {
    const element = media.current
    if (element === null) return
    const update = () =>
      setPlayback({
        isPlaying: !element.paused && !element.ended,
        at: element.currentTime,
        duration: Number.isFinite(element.duration) ? element.duration : 0,
        volume: element.volume,
        isMuted: element.muted,
        speed: element.playbackRate,
        // Asked here and not only heard: an element may have failed before it was put into the page.
        hasFailed: element.error !== null,
      })
    const onPlay = () => goOn(true)
    const onPause = () => element.ended || goOn(false)
    const onVolume = () => localStorage.setItem(volumeKey, String(element.volume))
    for (const name of watched) element.addEventListener(name, update)
    element.addEventListener('play', onPlay)
    element.addEventListener('pause', onPause)
    element.addEventListener('volumechange', onVolume)
    const volume = Number(localStorage.getItem(volumeKey) ?? 1)
    element.volume = volume >= 0 && volume <= 1 ? volume : 1
    update()
    // Browsers refuse this where nobody has touched the page yet; then it waits for a hand.
    if (goesOn()) void element.play().catch(() => {})
    return () => {
      for (const name of watched) element.removeEventListener(name, update)
      element.removeEventListener('play', onPlay)
      element.removeEventListener('pause', onPause)
      element.removeEventListener('volumechange', onVolume)
    }
  }, [media])

  const change = (act: (element: HTMLMediaElement) => void) => () => {
    if (media.current !== null) act(media.current)
  }
  const seek = (seconds: number) =>
    change((element) => {
      element.currentTime = Math.min(Math.max(0, seconds), element.duration || 0)
    })()
  const setVolume = (volume: number) =>
    change((element) => {
      element.volume = Math.min(1, Math.max(0, volume))
      element.muted = false
    })()

  return {
    playback,
    seek,
    toggle: change((element) => (element.paused ? void element.play().catch(() => {}) : element.pause())),
    skip: (seconds: number) => change((element) => seek(element.currentTime + seconds))(),
    setVolume,
    louder: () => setVolume(playback.volume + 0.1),
    softer: () => setVolume(playback.volume - 0.1),
    toggleMuted: change((element) => {
      element.muted = !element.muted
    }),
    setSpeed: (speed: number) =>
      change((element) => {
        element.playbackRate = speed
      })(),
  }
}

export type Player = ReturnType<typeof usePlayback>

export const speeds = [0.5, 0.75, 1, 1.25, 1.5, 2, 2.5, 3] as const

const watched = [
  'error',
  'play',
  'pause',
  'ended',
  'timeupdate',
  'seeking',
  'seeked',
  'durationchange',
  'volumechange',
  'ratechange',
  'emptied',
] as const
