import { type Config, servingEnvironment } from '../../config/config.ts'
import type { ConfigFile } from '../../config/file.ts'
import type { LogOutput } from '../../log/log.ts'
import { gauge, type Metric } from '../../metrics/metric.ts'
import { processWatch } from '../../metrics/process.ts'
import { gatheringFrom } from '../../metrics/together.ts'
import { serverCommand } from '../../parts.ts'
import type { Channel } from '../../process/channel.ts'
import { keeperOf, type Serving, startServing } from '../../process/keeper.ts'
import { onSignals } from '../../process/signals.ts'
import type { Exit } from '../../programs/server-process.ts'
import { printError } from '../output.ts'
import { type ClaimOptions, type Claims, claimsFor } from './claims.ts'
import { flushed, type SharedOptions, type Start, stopFacts, writeStart } from './surroundings.ts'

/** In milliseconds: a process that is busy for longer does not hold up a request of another, or a scrape. */
const patience = 1000

/**
 * The parent of several serving processes, which all listen on one port. The first of them prepares everything (database,
 * takeover, first settings) before the others start. The parent itself opens neither the database nor a file that is
 * served: it writes the log of all, tells their metrics, passes signals on, and replaces a process that ends.
 */
export async function superviseProcesses(count: number, configFile: ConfigFile): Promise<void> {
  let config: Config | undefined
  let claims: Claims | undefined
  const log = (): LogOutput | undefined => claims?.log

  const keeper = keeperOf({ start, ended, givesUp })
  const watch = processWatch()
  const measured = (process: Serving) => ({
    process,
    metrics: (which: 'all' | 'own') =>
      process.channel.askFor(patience, 'metrics', which) as Promise<Metric[] | undefined>,
  })
  const byProcess = new Map<Serving, ReturnType<typeof measured>>()
  const gathering = gatheringFrom(
    () => keeper.all().flatMap((process) => byProcess.get(process) ?? []),
    async () => [
      ...(await watch.metrics()),
      gauge('filestead_processes', 'Serving processes that run.', keeper.all().length),
    ],
  )

  function start(): Serving {
    const serving = startServing({
      command: [...serverCommand, ...process.argv.slice(2)],
      environment: servingEnvironment(),
      logged: (line) => log()?.passOn(line),
      answers: answerTo,
    })
    byProcess.set(serving, measured(serving))
    return serving
  }

  function answerTo(channel: Channel): void {
    channel.answer('options', (): SharedOptions => ({ config, configFile }))
    channel.answer('open', (options) => open(options as ClaimOptions))
    channel.answer('started', (started) => tellStart(started as Start))
    channel.answer('siblings', async (question) => {
      const others = keeper.all().filter((other) => other.channel !== channel)
      const answers = await Promise.all(others.map((other) => other.channel.askFor(patience, 'sibling', question)))
      return answers.filter((answer) => answer !== undefined && answer !== null)
    })
  }

  async function open(options: ClaimOptions): Promise<string | undefined> {
    await claims?.metrics?.close()
    claims = claimsFor(options)
    claims.metrics?.tell(gathering.gather)
    return claims.metrics?.url
  }

  async function tellStart({ facts, ...rest }: Start): Promise<void> {
    const ofServer = { ...facts, pid: process.pid, processes: count }
    if (claims !== undefined) await writeStart(claims.log, { ...rest, facts: ofServer })
  }

  function forget(serving: Serving): void {
    const known = byProcess.get(serving)
    if (known !== undefined) gathering.ended(known)
    byProcess.delete(serving)
  }

  function ended(serving: Serving, { code, signal }: Exit, pause: number): void {
    forget(serving)
    const how = signal === undefined ? { code } : { signal }
    log()?.error(
      { event: 'process-end', pid: serving.pid, ...how, pause },
      'A serving process ended; another one starts',
    )
    // What it left half done is put right at once: the others go on serving the same files.
    for (const other of keeper.all()) void other.channel.askFor(patience, 'sibling ended')
  }

  function givesUp(): void {
    const message = 'The serving processes end again and again as soon as they are started'
    log()?.error({ event: 'give-up' }, message)
    printError(`${message}. The lines above say why, or the log`)
    void end(1, 'SIGTERM')
  }

  async function end(code: number, signal: NodeJS.Signals): Promise<never> {
    await keeper.stop(signal)
    await claims?.metrics?.close()
    if (claims !== undefined) await flushed(claims.log)
    process.exit(code)
  }

  let first: Serving | undefined = start()
  let isStopping = false
  onSignals({
    async stop(signal) {
      isStopping = true
      log()?.info(stopFacts(signal), 'Filestead stops')
      // It ends at once while it prepares, and was not kept by the keeper then.
      first?.kill('SIGTERM')
      await first?.exited
      await end(config === undefined ? 1 : 0, 'SIGTERM')
    },
    stopAtOnce() {
      for (const serving of [...keeper.all(), ...(first ? [first] : [])]) serving.kill('SIGKILL')
    },
    reload() {
      void log()?.reopen()
      // One that starts has perhaps read the certificate already.
      for (const { ready, channel } of keeper.all())
        void ready.then(
          () => channel.askFor(patience, 'reload'),
          () => {},
        )
    },
  })
  const found = await first.ready.catch(() => undefined)
  if (isStopping) return
  if (found === undefined) {
    // It has printed why, unless something else ended it.
    const { code, signal } = await first.exited
    if (signal !== undefined) printError(`The first serving process was ended by ${signal}`)
    return end(code || 1, 'SIGTERM')
  }
  const { config: shared, isAlone } = found as { config: Config; isAlone: boolean }
  config = shared
  keeper.keep(first)
  first = undefined
  if (isAlone) log()?.warn('One process serves: no other can open the database while its disk is full or read-only')
  else while (keeper.all().length < count) keeper.keep(start())
}
