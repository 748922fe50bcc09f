import type { SyntheticEvent } from 'react'

/** A name that does not fit is told whole by its title, which a name that fits does not need. */
export function titleWhereCut({ currentTarget: name }: SyntheticEvent<HTMLElement>): void {
  const isCut = [name, ...name.querySelectorAll<HTMLElement>('*')].some(
    ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
  )
  name.title = isCut ? (name.textContent ?? '') : ''
}
