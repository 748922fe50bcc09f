import { parentOf } from '@filestead/contract'
import { useEffect, useState } from 'react'
import type { Entry } from '../../../server/queries/resources.ts'
import { perSession } from '../../../state/session-scope.ts'
import type { ViewerSource } from '../source.ts'
import type { Size } from './zoom.ts'

/** By version; null for what has none. */
const known = perSession(() => new Map<string, Size | null>())
const mostKnown = 2000
const keyOf = ({ path, modified, size }: Entry): string => `${path}\n${modified} ${size}`

/**
 * The size of an image in its file, where a smaller one is shown. Undefined until the server has told it, null where it is not
 * asked for. Those of the
 * images beside are asked for along with it, so that most steps wait for nothing.
 */
export function useTrueSize(source: ViewerSource, images: readonly Entry[], isOn: boolean): Size | null | undefined {
  const [file] = images
  const [, setNews] = useState(0)
  const wanted = isOn ? images.filter((image) => !known().has(keyOf(image))).map(keyOf) : []
  const isWanted = file !== undefined && wanted.includes(keyOf(file))

  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for once for each file
  useEffect(() => {
    if (!isWanted || file === undefined) return
    const control = new AbortController()
    const sizes = known()
    const asked = images.filter((image) => wanted.includes(keyOf(image)))
    const names = asked.map(({ name }) => name)
    source.media(parentOf(file.path), names, control.signal).then(
      (found) => {
        for (const image of asked) {
          const facts = found.find(({ name }) => name === image.name)
          if (sizes.size > mostKnown) sizes.clear()
          sizes.set(keyOf(image), facts === undefined ? null : { width: facts.width, height: facts.height })
        }
        if (!control.signal.aborted) setNews((count) => count + 1)
      },
      () => {},
    )
    return () => control.abort()
  }, [isWanted, file && keyOf(file)])

  return file === undefined || !isOn ? null : known().get(keyOf(file))
}
