import { z } from 'zod'

/** What a grant can allow in a folder and all below it. */
export const rightNames = ['see', 'download', 'create', 'change', 'delete', 'share'] as const
export type Right = (typeof rightNames)[number]

export const Rights = z.array(z.enum(rightNames))

/** A set of rights as one number, a bit for each in the order of `rightNames`: sets are compared for every entry of a listing. */
export type RightSet = number

export const noRights: RightSet = 0
export const allRights: RightSet = (1 << rightNames.length) - 1

export const rightSet = (...rights: readonly Right[]): RightSet =>
  rights.reduce((set, right) => set | (1 << rightNames.indexOf(right)), noRights)

export const rightsIn = (set: RightSet): Right[] => rightNames.filter((right) => hasRight(set, right))

export const hasRight = (set: RightSet, right: Right): boolean => (set & (1 << rightNames.indexOf(right))) !== 0

/**
 * A set as it is stored. Whatever touches what is there needs to see it, and a link gives bytes away; creating alone is a
 * letter box, in which nothing shows.
 */
export function completeRights(rights: readonly Right[]): RightSet {
  const set = rightSet(...rights)
  const withDownload = hasRight(set, 'share') ? set | rightSet('download') : set
  return (withDownload & ~rightSet('create')) === noRights ? withDownload : withDownload | rightSet('see')
}
