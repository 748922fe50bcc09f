import type { Group } from '@filestead/contract'
import { inOrder } from '../forms/merged.ts'

export interface GroupFields {
  name: string
  members: number[]
}

export const fieldsOf = (group: Group | null): GroupFields => ({
  name: group?.name ?? '',
  members: inOrder(group?.members ?? []),
})
