import { once } from 'node:events'
import { createServer, request as sendOn } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Passing {
  method: string
  path: string
  /** Bytes of the body. */
  size: number
}

/** A proxy before the product. `refuse` answers with a status and a page of its own; null lets a request through. */
export async function startProxy(target: string, refuse: (passing: Passing) => number | null = () => null) {
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming
    const status = refuse({ method, path: url, size: Number(headers['content-length'] ?? 0) })
    if (status !== null) {
      incoming.resume()
      incoming.on('end', () => outgoing.writeHead(status, { 'content-type': 'text/html' }).end('<html>No</html>'))
      return
    }
    const onward = sendOn(new URL(url, target), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.on('error', () => onward.destroy())
    incoming.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    /** Ends all connections and takes no new ones. */
    goDown() {
      server.close()
      server.closeAllConnections()
    },
    async comeBack() {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
  }
}
