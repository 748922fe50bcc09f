import { encodePath } from '@filestead/contract'

/** Paths below /api that a screen asks for first. They are sent before the code of the screen is there. */

export const resourcePath = (path: string): string => `resources${encodePath(path)}`

export const publicSharePath = (hash: string, path: string): string =>
  `public/share/${encodeURIComponent(hash)}${encodePath(path)}`
