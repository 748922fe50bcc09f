import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import { note } from '../../state/personal-storage.ts'
import { sessionStore } from '../../state/session-scope.ts'
import type { SteadyAddress } from './steady-address.ts'

/** The next film or recording starts by itself only while the present one was started and not paused. */
export const autoplay = sessionStore(false)

export interface Playback {
  isPlaying: boolean
  at: number
  duration: number
  volume: number
  isMuted: boolean
  speed: number
  hasFailed: boolean
}

const stopped: Playback = {
  isPlaying: false,
  at: 0,
  duration: 0,
  volume: 1,
  isMuted: false,
  speed: 1,
  hasFailed: false,
}
const volumeKey = 'filestead.volume'

/** The state of a media element, and functions that change it. */
export function usePlayback(media: RefObject<HTMLMediaElement | null>, address: SteadyAddress) {
  const [playback, setPlayback] = useState(stopped)
  /** What was playing when the address was renewed, and goes on from there. */
  const interrupted = useRef<{ at: number; isPlaying: boolean } | null>(null)

  const onError = useEffectEvent((element: HTMLMediaElement): boolean => {
    if (!address.renew()) return false
    interrupted.current = { at: element.currentTime, isPlaying: !element.paused }
    return true
  })

  useEffect(() => {
    const element = media.current
    if (element === null) return
    function update() {
      if (element === null) return
      setPlayback({
        isPlaying: !element.paused && !element.ended,
        at: element.currentTime,
        duration: Number.isFinite(element.duration) ? element.duration : 0,
        volume: element.volume,
        isMuted: element.muted,
        speed: element.playbackRate,
        // Read here and not only heard: an element may have failed before it was put into the page.
        hasFailed: element.error !== null,
      })
    }
    const listeners: Partial<Record<keyof HTMLMediaElementEventMap, () => unknown>> = {
      error: () => onError(element) || update(),
      play: () => autoplay.set(true),
      pause: () => element.ended || autoplay.set(false),
      volumechange: () => note(localStorage, volumeKey, String(element.volume)),
      loadedmetadata() {
        if (interrupted.current === null) return
        const { at, isPlaying } = interrupted.current
        interrupted.current = null
        element.currentTime = at
        if (isPlaying) void element.play().catch(() => {})
      },
    }
    for (const name of updating) element.addEventListener(name, update)
    for (const [name, listener] of Object.entries(listeners)) element.addEventListener(name, listener)
    const volume = Number(localStorage.getItem(volumeKey) ?? 1)
    element.volume = volume >= 0 && volume <= 1 ? volume : 1
    update()
    // Browsers refuse this before the first press on the page; then it waits for one.
    if (autoplay.get()) void element.play().catch(() => {})
    return () => {
      for (const name of updating) element.removeEventListener(name, update)
      for (const [name, listener] of Object.entries(listeners)) element.removeEventListener(name, listener)
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

/** 98 as 1:38, 3700 as 1:01:40. The same in every language, like the display of a player. */
export function formatTime(seconds: number): string {
  const whole = Number.isFinite(seconds) ? Math.max(0, Math.floor(seconds)) : 0
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const shown = parts[0] === 0 ? parts.slice(1) : parts
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':')
}

const updating = [
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
