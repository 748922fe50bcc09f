import { type Route, route, type UserContext } from '../access/routes.ts'
import type { Scope } from '../access/scope.ts'
import { Failure, isFailure } from '../failure.ts'
import { handshakeHeaders, upgradeToWebSocket } from '../http/websocket.ts'
import { mayStillRun, runCommand, type ShellOptions } from './shell.ts'

export interface CommandOptions extends ShellOptions {
  isEnabled: boolean
  /** In milliseconds: how often the permissions of an open socket are checked again. */
  recheckEvery?: number
  /** Called with every command that begins. */
  began?(context: UserContext, program: string): void
}

/** Each browser tab with a shell has one; the server sends pings to all of them. */
const mostSocketsOfUser = 20

/** One command for each connection: receives a line, sends its output line by line, and closes with the outcome. */
export function commandRoutes({ isEnabled, recheckEvery = 5000, began, ...options }: CommandOptions): Route[] {
  const open = new Map<number, number>()
  const count = (id: number, change: number) => {
    const sockets = (open.get(id) ?? 0) + change
    if (sockets > 0) open.set(id, sockets)
    else open.delete(id)
  }

  return [
    route({
      method: 'GET',
      path: '/api/command/*',
      access: ['execute'],
      summary: 'Run a command in a folder, over a WebSocket.',
      details: 'One command line in, its output line by line out. Off unless the server was started with it.',
      returns: { status: 101, description: 'A WebSocket' },
      sample: { at: '', headers: handshakeHeaders },
      answer(context) {
        if (!isEnabled) throw new Failure('forbidden', 'Commands are switched off')
        const path = context.path
        const { id } = context.caller.user
        if ((open.get(id) ?? 0) >= mostSocketsOfUser)
          throw new Failure('unavailable', 'Too many open command sockets', { retryAfter: 5 })
        return upgradeToWebSocket(context, (sender) => {
          count(id, 1)
          const closed = new AbortController()
          let running: string | undefined
          const end = () => {
            closed.abort()
            sender.close('not allowed')
          }
          const endIfRevoked = (error: unknown) => {
            if (isFailure(error, 'unauthenticated', 'forbidden')) end()
          }
          // The session may end, and permissions may be revoked, while the socket is open and a command runs.
          const recheck = setInterval(() => {
            const check = (scope: Scope) => running === undefined || mayStillRun(scope, running) || end()
            context.again().then(check).catch(endIfRevoked)
          }, recheckEvery)
          const run = async (line: string) => {
            const scope = await context.again()
            if (mayStillRun(scope, line)) began?.(context, line.trim().split(/\s+/, 1)[0] ?? '')
            return runCommand(options, scope, path, line, sender.send, closed.signal)
          }
          return {
            message(line) {
              if (running !== undefined || line.trim() === '') return
              running = line
              run(line).then(sender.close, () => sender.close('failed'))
            },
            closed() {
              clearInterval(recheck)
              count(id, -1)
              closed.abort()
            },
          }
        })
      },
    }),
  ]
}
