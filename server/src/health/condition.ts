import { deadline } from '../concurrency/deadline.ts'
import type { Log } from '../log/log.ts'

/** Undefined when the check passes, else the reason, in words without names or paths. */
export type Finding = string | undefined
export type Probe = () => Promise<Finding>

/** At most one look a second, however often we are asked. */
const freshFor = 1000
/** A disk that has not answered by then does not answer: network storage that is gone keeps its callers waiting. */
const patience = 3000
/** In milliseconds: those who ask wait no longer than this once there is a finding to tell. */
const promptly = 20

/** The health of the server. Answers at once while the last look is fresh, otherwise after a new one. */
export function conditionOf(
  probe: Probe,
  log: Pick<Log, 'info' | 'error'>,
  { fresh = freshFor, patient = patience } = {},
): () => Finding | Promise<Finding> {
  let known: Finding
  let knownUntil = 0
  let looking: Promise<Finding> | undefined
  let look: Promise<Finding> | undefined

  async function lookAgain(): Promise<Finding> {
    // One that hangs is not asked a second time; it may still come back.
    look ??= probe().finally(() => {
      look = undefined
    })
    const finding = await soonEnough(look, patient)
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
    looking ??= lookAgain().finally(() => {
      looking = undefined
    })
    // While a disk is slow the last finding counts, until the look is given up.
    return knownUntil === 0 ? looking : deadline(looking, promptly, known)
  }
}

async function soonEnough(look: Promise<Finding>, patient: number): Promise<Finding> {
  try {
    return await deadline(look, patient, 'The storage does not answer')
  } catch {
    return 'The state of the server cannot be told'
  }
}
