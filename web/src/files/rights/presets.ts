import type { Right } from '@filestead/contract'

/** In the order in which they are shown. The list of the contract comes with its schemas, which stay on the server. */
export const allRights = ['see', 'download', 'create', 'change', 'delete', 'share'] as const satisfies readonly Right[]

export type PresetName = 'look' | 'download' | 'add' | 'work' | 'everything' | 'nothing'

/** Sets of rights that have a name. Every other set is a choice of its own. */
export const presets: readonly { name: PresetName; rights: readonly Right[] }[] = [
  { name: 'look', rights: ['see'] },
  { name: 'download', rights: ['see', 'download'] },
  { name: 'add', rights: ['create'] },
  { name: 'work', rights: ['see', 'download', 'create', 'change', 'delete'] },
  { name: 'everything', rights: allRights },
  { name: 'nothing', rights: [] },
]

/** Null for a set that has no name. */
export function presetOf(rights: readonly Right[]): PresetName | null {
  const wanted = key(rights)
  return presets.find((preset) => key(preset.rights) === wanted)?.name ?? null
}

/** Rights in their order, each once. */
export const inOrder = (rights: readonly Right[]): Right[] => allRights.filter((right) => rights.includes(right))

const key = (rights: readonly Right[]): string => inOrder(rights).join()

/** As the server stores them: whatever touches what is there needs to see it, and a link gives bytes away. */
export function completed(rights: readonly Right[]): Right[] {
  const wanted = new Set(rights)
  if (wanted.has('share')) wanted.add('download')
  if ([...wanted].some((right) => right !== 'create')) wanted.add('see')
  return inOrder([...wanted])
}

/** A tick that goes takes along the rights that need it. */
export function toggled(rights: readonly Right[], right: Right, isWanted: boolean): Right[] {
  if (isWanted) return completed([...rights, right])
  const needs: Partial<Record<Right, readonly Right[]>> = {
    see: ['download', 'change', 'delete', 'share'],
    download: ['share'],
  }
  return rights.filter((other) => other !== right && needs[right]?.includes(other) !== true)
}
