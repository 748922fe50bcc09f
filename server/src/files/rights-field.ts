import { allRights, type Resource, type RightSet, rightsIn } from '@filestead/contract'

/** What grants allow, where that is not everything. */
export const rightsField = (can: RightSet): Pick<Resource, 'can'> => (can === allRights ? {} : { can: rightsIn(can) })
