import { useSyncExternalStore } from 'react'

const queries = {
  narrow: '(max-width: 736px)',
  touch: '(pointer: coarse), (max-width: 736px)',
  coarse: '(pointer: coarse)',
  sheet: '(max-width: 736px), (pointer: coarse) and (max-width: 1024px)',
} as const

const lists = Object.fromEntries(Object.entries(queries).map(([name, query]) => [name, matchMedia(query)])) as Record<
  keyof typeof queries,
  MediaQueryList
>

/**
 * `narrow` is a phone; `touch` is where fingers need room; `coarse` is where there is nothing finer than a finger;
 * `sheet` is where what can be done with a choice lies in reach of a thumb, at the bottom: a phone, or a tablet.
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
