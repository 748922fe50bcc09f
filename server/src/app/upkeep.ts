import { inspect, presenceOf } from '../database/port.ts'
import { cleanupOf } from '../nodes/cleanup.ts'
import { watchOthers } from '../nodes/presence.ts'
import { expirySweep, expiryTimer } from '../shares/expire.ts'
import { checkSymlinks } from '../shares/resolve.ts'
import { uploadExpiry } from '../uploads/expire.ts'
import { uploadRecovery } from '../uploads/recover.ts'
import type { Basis, Replacements } from './basis.ts'
import type { Rooms } from './rooms.ts'

/** In milliseconds: how often the file of the database is compared with the opened one, when nothing is written. */
const inspectEvery = 2000
/** The steps of the cleanup that the first server does for all. */
const ofDeadNodes = new Set(['what was being moved', 'unfinished changes', 'operations', 'jobs'])

/** Work in the background that no request asks for: cleaning up after dead nodes, and what is due. */
export function upkeepOf(basis: Basis, rooms: Rooms, replace: Replacements) {
  const { config, log, db, node, siblings, mounts, messages } = basis
  const { journal, history, jobs, uploads } = rooms
  const shareExpiry = expiryTimer(expirySweep(rooms.shares))
  const closing = new AbortController()
  const inspecting = setInterval(() => inspect(db), inspectEvery).unref()
  const cleanup = cleanupOf(
    {
      node: async () => {
        if (await node.renew()) await othersWatch.tellDeaths()
      },
      messages: async () => {
        await messages?.join()
        if (await node.isFirst()) await messages?.sweep()
      },
      'half-written files': mounts.repairHalfWritten,
      'what was being moved': mounts.restoreSources,
      drafts: mounts.clearDrafts,
      'unfinished changes': journal.recover,
      ...history.cleanup,
      jobs: jobs.recover,
      'finished uploads': uploadRecovery(uploads),
      uploads: uploadExpiry(uploads, { delay: replace.uploadExpiryDelay }),
      'drafts of no known work': async () => {
        if (!config.readOnly) await mounts.clearOrphans()
      },
    },
    log,
    {
      // A disk that hangs here may answer another server, which has its turn then.
      unfinished: async (steps) => {
        if (steps.some((step) => ofDeadNodes.has(step))) await node.passOn()
      },
    },
  )
  const othersWatch = watchOthers({ node, siblings, presence: presenceOf(db), died: () => void cleanup.start() })
  return {
    start() {
      shareExpiry.start()
      // In the background: until it is done, old shares are resolved one by one.
      void checkSymlinks(rooms.shares, closing.signal).catch(() => {})
      return cleanup.start()
    },
    stop() {
      closing.abort()
      othersWatch.close()
      cleanup.stop()
      shareExpiry.stop()
      clearInterval(inspecting)
    },
  }
}
