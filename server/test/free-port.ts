import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Nothing listens there, and nothing comes to use it until the caller does: the kernel takes the ports of outgoing
 * connections, and those it chooses for others, from 32768 on.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    if (await canListen(port)) return port
  }
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
