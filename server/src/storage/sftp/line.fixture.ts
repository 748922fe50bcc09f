import { connect, createServer, type Socket } from 'node:net'

/** A line to a server that can be cut, or fall silent. */
export interface Line {
  readonly port: number
  /** How many chunks have gone to the server since it was told when to break. */
  readonly sent: number
  /** The n-th chunk from now on is the last: it is lost, or it arrives and its answer is lost. */
  cutAt(chunk: number, what: 'request' | 'answer'): void
  /** Takes everything and hands nothing on. */
  hang(): void
  /** Whatever is open is cut; new connections work. */
  cutNow(): void
  stop(): void
}

export async function startLine(to: number): Promise<Line> {
  const sockets = new Set<Socket>()
  let [sent, last] = [0, Number.POSITIVE_INFINITY]
  let lost: 'request' | 'answer' = 'request'
  let isHanging = false

  const cutNow = () => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }

  const server = createServer((here) => {
    const there = connect(to, '127.0.0.1')
    for (const socket of [here, there]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        here.destroy()
        there.destroy()
      })
    }
    here.on('data', (chunk) => {
      if (isHanging) return
      sent += 1
      const isLast = sent === last
      if (!isLast || lost === 'answer') there.write(chunk)
      if (isLast && lost === 'request') cutNow()
      else if (isLast) {
        // The server gets what was written before it hears of the end.
        here.destroy()
        there.end()
      }
    })
    there.on('data', (chunk) => {
      if (!isHanging) here.write(chunk)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    port,
    get sent() {
      return sent
    },
    cutAt(chunk, what) {
      ;[sent, last, lost] = [0, chunk, what]
    },
    hang() {
      isHanging = true
    },
    cutNow,
    stop() {
      cutNow()
      server.close()
    },
  }
}
