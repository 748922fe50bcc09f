import { isatty } from 'node:tty'

/** From the first moment: signals that end a process by default may come while the server is still starting. */
export function outliveSignals(): void {
  const outlived: NodeJS.Signals[] = isAtTerminal() ? ['SIGUSR1', 'SIGUSR2'] : ['SIGUSR1', 'SIGUSR2', 'SIGHUP']
  for (const signal of outlived) process.on(signal, () => {})
}

/**
 * SIGTERM and SIGINT end the server, a second one at once. SIGHUP does so only at a terminal, which sends it when it is
 * closed; elsewhere operators send it after they have moved log files away or renewed a certificate.
 */
export function onSignals({ stop, reload }: { stop(signal: string): Promise<void>; reload(): void }): void {
  const ending: NodeJS.Signals[] = isAtTerminal() ? ['SIGTERM', 'SIGINT', 'SIGHUP'] : ['SIGTERM', 'SIGINT']
  const stopOnce = (signal: string) => {
    for (const signal of ending) process.off(signal, stopOnce)
    void stop(signal)
  }
  for (const signal of ending) process.on(signal, stopOnce)
  if (!isAtTerminal()) process.on('SIGHUP', reload)
}

const isAtTerminal = (): boolean => [0, 1, 2].some((fd) => isatty(fd))
