import { isatty } from 'node:tty'

/**
 * SIGTERM and SIGINT end the server, a second one at once. SIGHUP does so only at a terminal, which sends it when it is
 * closed; elsewhere operators send it to have log files opened anew. Others mean nothing here, and must not end the
 * process either.
 */
export function onSignals({ stop, reopen }: { stop(): Promise<void>; reopen(): void }): void {
  const ending: NodeJS.Signals[] = isAtTerminal() ? ['SIGTERM', 'SIGINT', 'SIGHUP'] : ['SIGTERM', 'SIGINT']
  const stopOnce = () => {
    for (const signal of ending) process.off(signal, stopOnce)
    void stop()
  }
  for (const signal of ending) process.on(signal, stopOnce)
  if (!isAtTerminal()) process.on('SIGHUP', reopen)
  for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) process.on(signal, () => {})
}

const isAtTerminal = (): boolean => [0, 1, 2].some((fd) => isatty(fd))
