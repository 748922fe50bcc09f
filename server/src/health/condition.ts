import type { Log } from '../log/log.ts'

/** Undefined when the check passes, else the reason, in words without names or paths. */
export type Finding = string | undefined
export type Probe = () => Promise<Finding>

/** At most one look a second, however often we are asked. */
const freshFor = 1000
/** A disk that has not answered by then does not answer: network storage that is gone keeps its callers waiting. */
const patience = 3000

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
    return looking
  }
}

async function soonEnough(look: Promise<Finding>, patient: number): Promise<Finding> {
  const { promise: tooLate, resolve } = Promise.withResolvers<Finding>()
  const timer = setTimeout(() => resolve('The storage does not answer'), patient)
  try {
    return await Promise.race([look, tooLate])
  } catch {
    return 'The state of the server cannot be told'
  } finally {
    clearTimeout(timer)
  }
}
