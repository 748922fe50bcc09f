import { noThrottle, throttleIn } from '../access/throttle.ts'
import { withMemoryFallback } from '../access/throttle-fallback.ts'
import { type Config, hookEnvironment, parseDuration } from '../config/config.ts'
import { hostGuard } from '../http/hosts.ts'
import type { Log } from '../log/log.ts'
import { methodNow } from '../sessions/methods/methods.ts'
import { sessionsIn } from '../sessions/sessions.ts'
import { tokensSignedWith } from '../sessions/tokens.ts'
import { signingKey } from '../settings/settings.ts'
import type { Basis } from './basis.ts'

/** By which method and with which sessions, tokens and delays accounts sign in. */
export async function signingIn(basis: Basis) {
  const { config, log, db, clock, settings, node, messages, siblings, storageAt, restrict } = basis
  const lifetime = lifetimeIn(config, log)
  const { processes } = config
  const throttle = config.disableLoginThrottle
    ? noThrottle
    : withMemoryFallback(throttleIn({ db, clock }, { processes }), (memory) =>
        throttleIn({ db: memory, clock }, { processes, countsAlone: true }),
      )
  const key = await signingKey(db)
  const tokens = await tokensSignedWith(key)
  const environment = hookEnvironment()
  const requireHost = hostGuard(config)
  const signIn = { db, clock, storageAt, throttle, environment, requireHost }
  const method = () => methodNow(signIn, settings)
  // What is held because no row can be written cannot be told by rows either.
  const holding = messages === undefined ? { siblings } : { mayHold: () => node.others().length === 0 }
  const sessions = sessionsIn({ db, clock, ...holding, tokens, method, restrict }, lifetime)
  return { key, environment, lifetime, throttle, requireHost, signIn, sessions }
}

/** In seconds. */
const defaultLifetime = 7200

function lifetimeIn({ tokenExpirationTime }: Config, log: Log): number {
  const seconds = parseDuration(tokenExpirationTime)
  if (seconds !== undefined) return Math.max(1, Math.round(seconds))
  log.warn(`The token expiration time ${JSON.stringify(tokenExpirationTime)} is not understood; using 2h`)
  return defaultLifetime
}
