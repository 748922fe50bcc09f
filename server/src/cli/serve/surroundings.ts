import type { Config } from '../../config/config.ts'
import type { ConfigFile } from '../../config/file.ts'
import { Failure } from '../../failure.ts'
import { createLog, type LogOutput } from '../../log/log.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import { noSiblings, type Siblings } from '../../nodes/siblings.ts'
import type { OwnParent } from '../../process/own-parent.ts'
import { logDescriptor } from '../../programs/server-process.ts'
import { print } from '../output.ts'
import { claimsFor } from './claims.ts'

/** What a serving process leaves to what is around it: to nothing, or to the parent of several. */
export interface Surroundings {
  /** Whether other processes listen on the same port, and whether this one is the first. */
  readonly share: 'alone' | 'first' | 'further'
  readonly siblings: Siblings
  /** Opens the log and the listener for metrics. Called once more where the options have changed since. */
  open(config: Config): Promise<Opened>
  /** The line of the log and the message about the start. */
  tellStart(start: Start): Promise<void>
  /** Requests are answered. `isAlone`: no other process can open the database. */
  isReady(config: Config, state: { isAlone: boolean }): void
  /** Also called when the surroundings are gone. */
  onEnd(handlers: { stop(reason: string): Promise<void>; reload(): void; tidy(): Promise<void> }): void
}

export interface Opened {
  readonly log: LogOutput
  readonly metricsUrl: string | undefined
  /** From now on these metrics are told. */
  tellMetrics(metrics: Metrics): void
  /** Whether this process writes about start and stop itself. */
  readonly tellsStop: boolean
  close(): Promise<void>
}

/** What a process is told by its parent before anything else. */
export interface SharedOptions {
  /** Read once, by the parent: it may be a pipe. */
  readonly configFile: ConfigFile
  /** Undefined for the first process, which finds it out. Later ones take it as it was then. */
  readonly config: Config | undefined
}

export interface Start {
  readonly facts: Readonly<Record<string, unknown>>
  readonly text: string
  /** Nothing else is printed until the log is written: the password of a first start comes last. */
  readonly isFirst: boolean
}

/** In milliseconds: how long a first start and a stop wait for the log to be written. */
const flushTimeout = 500

export const flushed = (log: LogOutput): Promise<unknown> => Promise.race([log.flush(), Bun.sleep(flushTimeout)])

/** Writes the line of the log and the message. */
export async function writeStart(log: LogOutput, { facts, text, isFirst }: Start): Promise<void> {
  log.info(facts, 'Filestead starts')
  print(text)
  if (isFirst) await flushed(log)
}

export const stopFacts = (signal: string) => ({ event: 'stop', signal, seconds: Math.round(process.uptime()) })

/** The only process of the server. */
export function alone(): Surroundings {
  let log: LogOutput | undefined
  return {
    share: 'alone',
    siblings: noSiblings,
    async open(config) {
      const { metrics, ...claims } = claimsFor(config)
      log = claims.log
      return {
        log,
        metricsUrl: metrics?.url,
        tellMetrics: ({ all }) => metrics?.tell(all),
        tellsStop: true,
        close: async () => metrics?.close(),
      }
    },
    tellStart: async (start) => log && writeStart(log, start),
    isReady() {},
    onEnd() {},
  }
}

/** One of several. Its parent writes the log of all and tells the metrics of all. */
export function among(parent: OwnParent, share: 'first' | 'further'): Surroundings {
  return {
    share,
    siblings: siblingsBy(parent),
    async open(config) {
      if (config.socket !== '')
        throw new Failure('invalid', '--processes needs an address: processes cannot share a unix socket (--socket)')
      const { log, logLevel, metrics } = config
      const opened = share === 'first' ? await parent.ask('open', { log, logLevel, metrics }) : undefined
      return {
        log: createLog(log === '' ? '' : logDescriptor, logLevel),
        metricsUrl: typeof opened === 'string' ? opened : undefined,
        tellMetrics: ({ own, all }) => parent.answer('metrics', (which) => (which === 'all' ? all() : own())),
        tellsStop: false,
        close: async () => {},
      }
    },
    tellStart: async (start) => void (await parent.ask('started', start)),
    isReady: (config, { isAlone }) => void parent.ask('ready', { config, isAlone }).catch(() => {}),
    onEnd({ stop, reload, tidy }) {
      parent.onGone(() => void stop('the end of the parent process'))
      parent.answer('reload', reload)
      parent.answer('sibling ended', tidy)
    },
  }
}

/** The parent passes questions on, and collects what the others answer. */
function siblingsBy(parent: OwnParent): Siblings {
  const handlers = new Map<string, (value: unknown) => unknown>()
  parent.answer('sibling', (question) => {
    const { topic, value } = question as { topic: string; value: unknown }
    return handlers.get(topic)?.(value)
  })
  const ask = (topic: string, value: unknown) =>
    parent.ask('siblings', { topic, value }).then(
      (answers) => answers as unknown[],
      () => [],
    )
  return {
    ask,
    tell: async (topic, value) => void (await ask(topic, value)),
    answer: (topic, handler) => void handlers.set(topic, handler),
    // The channel loses nothing as long as both processes live.
    onMissed() {},
  }
}
