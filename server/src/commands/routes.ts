import { forUsers, type Route } from '../http/routes.ts'
import { converse } from '../http/sockets.ts'
import { runCommand, type ShellOptions } from './shell.ts'

/** One command a connection: a line comes in, its output goes out line by line, the end tells how it ended. */
export const commandRoutes = (options: ShellOptions): Route[] => [
  forUsers('GET', '/api/command/*', [], (asked) => {
    const path = asked.path()
    return converse(asked, (reply) => {
      const gone = new AbortController()
      let isBusy = false
      return {
        heard(line) {
          if (isBusy || line.trim() === '') return
          isBusy = true
          runCommand(options, asked.scope, path, line, reply.say, gone.signal).then(reply.end, () =>
            reply.end('failed'),
          )
        },
        ended: () => gone.abort(),
      }
    })
  }),
]
