import type { Log } from '../log/log.ts'

/** Undefined when the check passes, else the reason, without names or paths: anyone may read it. */
export type Finding = string | undefined
export type Probe = () => Promise<Finding>

/** In milliseconds: how long a result is cached. */
const cachedFor = 1000
/** In milliseconds: a system call on an unreachable network mount does not return. */
const timeoutAfter = 3000

/** The health of the server: the cached result while it is fresh, otherwise that of a new probe. */
export function healthCheck(
  probe: Probe,
  log: Pick<Log, 'info' | 'error'>,
  { fresh = cachedFor, timeout = timeoutAfter } = {},
): () => Finding | Promise<Finding> {
  let known: Finding
  let knownUntil = 0
  let checking: Promise<Finding> | undefined
  let probing: Promise<Finding> | undefined

  async function check(): Promise<Finding> {
    // A probe that hangs is not started a second time; it may still return.
    probing ??= probe().finally(() => {
      probing = undefined
    })
    const finding = await withTimeout(probing, timeout)
    if (finding !== known) {
      if (finding === undefined) log.info({ event: 'health' }, 'The health check passes again')
      else log.error({ event: 'health', reason: finding }, 'The health check fails')
    }
    known = finding
    knownUntil = Date.now() + fresh
    return finding
  }

  return () => {
    if (Date.now() < knownUntil) return known
    checking ??= check().finally(() => {
      checking = undefined
    })
    return checking
  }
}

async function withTimeout(probing: Promise<Finding>, timeout: number): Promise<Finding> {
  const { promise: timedOut, resolve } = Promise.withResolvers<Finding>()
  const timer = setTimeout(() => resolve('The storage does not answer'), timeout)
  try {
    return await Promise.race([probing, timedOut])
  } catch {
    return 'The state of the server cannot be told'
  } finally {
    clearTimeout(timer)
  }
}
