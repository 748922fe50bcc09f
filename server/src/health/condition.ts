import { deadline } from '../concurrency/deadline.ts'
import type { Log } from '../log/log.ts'

/** Undefined when the check passes, else the reason, in words without names or paths. */
export type Finding = string | undefined
export type Probe = () => Promise<Finding>

/** At most one look a second, however often we are asked. */
const freshFor = 1000
/** A disk that has not answered by then does not answer: network storage that is gone keeps its callers waiting. */
const patience = 3000
/** One that takes longer than this keeps no request waiting: until it ends, what was found before is answered. */
const quickly = 20

/** The health of the server. Answers at once while the last look is fresh, otherwise after a new one if that is quick. */
export function conditionOf(
  probe: Probe,
  log: Pick<Log, 'info' | 'error'>,
  { fresh = freshFor, patient = patience, quick = quickly } = {},
): () => Finding | Promise<Finding> {
  let known: Finding
  /** Undefined before the first look has ended. */
  let knownUntil: number | undefined
  let looking: Promise<Finding> | undefined
  let look: Promise<Finding> | undefined

  async function lookAgain(): Promise<Finding> {
    // One that hangs is not asked a second time; it may still come back.
    look ??= probe().finally(() => {
      look = undefined
    })
    const finding = await deadline(look, patient, 'The storage does not answer').catch(() => unclear)
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
    looking ??= lookAgain().finally(() => {
      looking = undefined
    })
    return knownUntil === undefined ? looking : deadline(looking, quick, known)
  }
}

const unclear = 'The state of the server cannot be told'
