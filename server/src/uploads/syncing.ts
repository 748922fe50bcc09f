import type { Scope } from '../access/scope.ts'
import { isFailure } from '../failure.ts'
import type { Node } from '../nodes/node.ts'
import { draftOf } from './places.ts'
import type { Upload, UploadStore } from './store.ts'

/** Pieces are acknowledged when they are written. They are synced soon afterwards, while the sender goes on. */
export interface UploadSyncing {
  /** The draft has so many bytes now. */
  later(scope: Scope, upload: Upload, size: number): void
  isAtWork(id: string): boolean
  /**
   * Waits until nothing is synced or noted any more for this upload. Throws where the disk failed to keep bytes of it: then
   * the upload goes on from those that it has kept.
   */
  end(id: string): Promise<void>
}

/** In bytes: beyond it the disk begins at once. */
const muchUnsynced = 32 << 20
/** In milliseconds: less is synced after a while, together with what comes meanwhile. */
const soon = 2000

interface State {
  scope: Scope
  upload: Upload
  size: number
  synced: number
  timer: Timer | undefined
  running: Promise<void> | undefined
  failure: { error: unknown } | undefined
}

export function uploadSyncing(
  store: Pick<UploadStore, 'change' | 'sync'>,
  node: Pick<Node, 'id'>,
  after = soon,
): UploadSyncing {
  const states = new Map<string, State>()

  function schedule(state: State): void {
    if (state.running !== undefined || state.failure !== undefined) return
    if (state.size <= state.synced) states.delete(state.upload.id)
    else if (state.size - state.synced >= muchUnsynced) start(state)
    else state.timer ??= setTimeout(() => start(state), after).unref()
  }

  function start(state: State): void {
    clearTimeout(state.timer)
    state.timer = undefined
    state.running = syncOnce(state).finally(() => {
      state.running = undefined
      schedule(state)
    })
  }

  async function syncOnce(state: State): Promise<void> {
    const { scope, upload, size } = state
    try {
      await syncDraft(scope, upload)
    } catch (error) {
      state.synced = size
      // Without a draft the upload has ended, or lies elsewhere by now, where its next piece finds it.
      if (isFailure(error, 'not-found')) return
      state.failure = { error }
      // As after another boot: what was not synced does not count.
      await store.change(upload.id, { kernel: '' }).catch(() => {})
      return
    }
    try {
      // The row comes last: it says what is on the disk.
      await store.change(upload.id, { synced: size }, { ofNode: node.id })
      await store.sync()
      state.synced = size
    } catch {
      // The database is away. Its row says less than the disk has, which is safe; it is noted again after a while.
    }
  }

  return {
    later(scope, upload, size) {
      const before = states.get(upload.id)
      const state = before ?? { synced: upload.synced ?? 0, timer: undefined, running: undefined, failure: undefined }
      Object.assign(state, { scope, upload, size })
      states.set(upload.id, state as State)
      schedule(state as State)
    },
    isAtWork: (id) => states.has(id),
    async end(id) {
      const state = states.get(id)
      if (state === undefined) return
      clearTimeout(state.timer)
      // What is left is synced with the end of the upload, or is not wanted any more.
      state.size = state.synced
      await state.running
      states.delete(id)
      if (state.failure !== undefined) throw state.failure.error
    },
  }
}

async function syncDraft(scope: Scope, upload: Upload): Promise<void> {
  const draft = await scope.openDraft(draftOf(scope, upload))
  try {
    await draft.sync()
  } finally {
    draft.close()
  }
}
