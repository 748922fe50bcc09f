import type { AnchorHTMLAttributes, MouseEvent, Ref } from 'react'
import { hrefOf, navigate } from './location.ts'

interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  /** An address below the base URL. */
  to: string
  ref?: Ref<HTMLAnchorElement>
}

/** A real link: new tab, copy and middle click work as everywhere. */
export function Link({ to, onClick, ...rest }: LinkProps) {
  function follow(event: MouseEvent<HTMLAnchorElement>) {
    onClick?.(event)
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (event.defaultPrevented || !isPlain) return
    event.preventDefault()
    void navigate(to)
  }

  return <a {...rest} href={hrefOf(to)} onClick={follow} />
}
