import { deadline } from '../concurrency/deadline.ts'
import type { Log } from '../log/log.ts'

/** Undefined when the check passes, else the reason, without names or paths: anyone may read it. */
export type Finding = string | undefined
export type Probe = () => Promise<Finding>

/** In milliseconds: how long a result is cached. */
const cachedFor = 1000
/** In milliseconds: a system call on an unreachable network mount does not return. */
const timeoutAfter = 3000

/** In milliseconds: a request waits no longer for a probe, but is answered with the result before it. */
const quickly = 20

/** The health of the server: the cached result while it is fresh, otherwise that of a new probe if it is quick. */
export function healthCheck(
  probe: Probe,
  log: Pick<Log, 'info' | 'error'>,
  { fresh = cachedFor, timeout = timeoutAfter, quick = quickly } = {},
): () => Finding | Promise<Finding> {
  let known: Finding
  /** Undefined before the first probe has ended. */
  let knownUntil: number | undefined
  let checking: Promise<Finding> | undefined
  let probing: Promise<Finding> | undefined

  async function check(): Promise<Finding> {
    // A probe that hangs is not started a second time; it may still return.
    probing ??= probe().finally(() => {
      probing = undefined
    })
    const finding = await deadline(probing, timeout, 'The storage does not answer').catch(() => unclear)
    if (finding !== known) {
      if (finding === undefined) log.info({ event: 'health' }, 'The health check passes again')
      else log.error({ event: 'health', reason: finding }, 'The health check fails')
    }
    known = finding
    knownUntil = Date.now() + fresh
    return finding
  }

  return () => {
    if (knownUntil !== undefined && Date.now() < knownUntil) return known
    checking ??= check().finally(() => {
      checking = undefined
    })
    return knownUntil === undefined ? checking : deadline(checking, quick, known)
  }
}

const unclear = 'The state of the server cannot be told'
