import { useSyncExternalStore } from 'react'

const queries = {
  narrow: '(max-width: 736px), (pointer: coarse) and (max-width: 1024px) and (max-height: 480px)',
  compact: '(max-width: 1023px)',
  touch: '(pointer: coarse), (max-width: 736px)',
  coarse: '(pointer: coarse)',
  docked: '(min-width: 1024px)',
  sheet: '(max-width: 736px), (pointer: coarse) and (max-width: 1024px)',
} as const

const lists = Object.fromEntries(Object.entries(queries).map(([name, query]) => [name, matchMedia(query)])) as Record<
  keyof typeof queries,
  MediaQueryList
>

export const isMedia = (name: keyof typeof queries): boolean => lists[name].matches

/**
 * `narrow` is a phone, also held sideways; `compact` is where the sidebar is a rail, unless
 * it is opened; `touch` is where fingers need room; `coarse` is where there is nothing finer
 * than a finger; `docked` is where a pane has room beside the page; `sheet` is where what can be done with a choice lies
 * in reach of a thumb, at the bottom: a phone, or a tablet.
 */
export function useMedia(name: keyof typeof queries): boolean {
  const list = lists[name]
  return useSyncExternalStore(
    (listener) => {
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    () => list.matches,
  )
}
