import { isatty } from 'node:tty'

/** From the first moment: what would end any other process, but not this one, may come while it is still starting. */
export function outliveSignals(): void {
  const outlived: NodeJS.Signals[] = isAtTerminal() ? ['SIGUSR1', 'SIGUSR2'] : ['SIGUSR1', 'SIGUSR2', 'SIGHUP']
  for (const signal of outlived) process.on(signal, () => {})
}

/**
 * SIGTERM and SIGINT end the server, a second one at once. SIGHUP does so only at a terminal, which sends it when it is
 * closed; elsewhere operators send it to have log files opened anew.
 */
export function onSignals({ stop, reopen }: { stop(): Promise<void>; reopen(): void }): void {
  const ending: NodeJS.Signals[] = isAtTerminal() ? ['SIGTERM', 'SIGINT', 'SIGHUP'] : ['SIGTERM', 'SIGINT']
  const stopOnce = () => {
    for (const signal of ending) process.off(signal, stopOnce)
    void stop()
  }
  for (const signal of ending) process.on(signal, stopOnce)
  if (!isAtTerminal()) process.on('SIGHUP', reopen)
}

const isAtTerminal = (): boolean => [0, 1, 2].some((fd) => isatty(fd))
