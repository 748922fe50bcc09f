/** Where displaced things are kept: what was removed or replaced, and older contents of files that are still there. */
export const keepStores = ['trash', 'versions'] as const
export type KeepStore = (typeof keepStores)[number]

/** What displaced a thing that is kept. `outside`: another program, as a desktop's trash. */
export const keepCauses = [
  'remove',
  'move',
  'copy',
  'upload',
  'create',
  'save',
  'extract',
  'restore',
  'outside',
] as const
export type KeepCause = (typeof keepCauses)[number]

/** What an account did, and may take back. */
export const operationKinds = [
  'save',
  'create',
  'create-folder',
  'upload',
  'copy',
  'move',
  'extract',
  'remove',
  'restore',
  'undo',
] as const
export type OperationKind = (typeof operationKinds)[number]

/**
 * Why an operation cannot be taken back. `restored`: what it displaced was taken out of its store since. `no-room`: that was
 * ended within the day because the disk was nearly full. `unfinished`: the server stopped in the middle of it, and nothing
 * tells how far it came.
 */
export const undoRefusals = [
  'undone',
  'under-way',
  'not-kept',
  'purged',
  'restored',
  'no-room',
  'too-much',
  'too-old',
  'unfinished',
] as const
export type UndoRefusal = (typeof undoRefusals)[number]

/**
 * Why one entry cannot be taken back: `reason` of the failure, whose `name` is that of the entry. Another reason is one of the
 * whole operation, as above.
 */
export const undoObstacles = ['changed', 'changed-inside', 'gone', 'taken', 'purged', 'folder-in-trash'] as const
export type UndoObstacle = (typeof undoObstacles)[number]

/** `ask`: off until an administrator has chosen. */
export const trashModes = ['on', 'off', 'ask'] as const
export type TrashMode = (typeof trashModes)[number]

/** Where older states of a whole mount are found: by themselves, nowhere, or by a pattern of the administrator. */
export const snapshotModes = ['auto', 'off', 'own'] as const
export type SnapshotMode = (typeof snapshotModes)[number]

export const momentKinds = ['now', 'version', 'trash', 'snapshot'] as const
export type MomentKind = (typeof momentKinds)[number]

/** In milliseconds: so long an operation can be taken back. */
export const undoFor = 24 * 60 * 60 * 1000

/** The header by which several requests of one act, as the upload of a folder, become one operation. */
export const operationHeader = 'Filestead-Operation'
