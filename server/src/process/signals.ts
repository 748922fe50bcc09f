import { isatty } from 'node:tty'

/** Called first: these signals end a process by default, and may arrive while the server is starting. */
export function ignoreSignals(): void {
  const ignored: NodeJS.Signals[] = isAtTerminal() ? ['SIGUSR1', 'SIGUSR2'] : ['SIGUSR1', 'SIGUSR2', 'SIGHUP']
  for (const signal of ignored) process.on(signal, () => {})
}

export interface SignalHandlers {
  stop(signal: string): Promise<void>
  /** Before a second signal ends this process. */
  stopAtOnce?(): void
  reload(): void
}

/**
 * SIGTERM and SIGINT stop the server, a second one at once. SIGHUP stops it only at a terminal, which sends it when it
 * is closed; elsewhere it reloads: the log file is reopened and the certificate read again.
 */
export function onSignals({ stop, stopAtOnce, reload }: SignalHandlers): void {
  const ending: NodeJS.Signals[] = isAtTerminal() ? ['SIGTERM', 'SIGINT', 'SIGHUP'] : ['SIGTERM', 'SIGINT']
  let first: number | undefined
  const stopOnce = (signal: NodeJS.Signals) => {
    const now = performance.now()
    if (first === undefined) {
      first = now
      void stop(signal)
    } else if (now - first > echo) {
      for (const signal of ending) process.off(signal, stopOnce)
      stopAtOnce?.()
      process.kill(process.pid, signal)
    }
  }
  for (const signal of ending) process.on(signal, stopOnce)
  if (!isAtTerminal()) process.on('SIGHUP', reload)
}

/**
 * In milliseconds. A terminal and a service manager signal every process of the group, and npm and `npm start` pass the
 * signal on as well: what follows the first one so soon is no second wish.
 */
const echo = 1000

const isAtTerminal = (): boolean => [0, 1, 2].some((fd) => isatty(fd))
