import { z } from 'zod'

/** Where a server listens. */
export interface ServerAddress {
  readonly address: string
  readonly port: number
  readonly socket: string
  readonly baseURL: string
  readonly cert: string
}

const Answer = z.object({ status: z.string(), reason: z.string().optional() })

/** Asks a server for its health. `reason` is undefined when it is healthy. */
export async function askHealth(where: ServerAddress): Promise<{ isFilestead: boolean; reason: string | undefined }> {
  const url = `${originOf(where)}${where.baseURL}/health`
  let answer: Response | undefined
  try {
    answer = await fetch(url, {
      signal: AbortSignal.timeout(5000),
      // Over the loopback address, which the certificate does not name.
      tls: { rejectUnauthorized: false },
      ...(where.socket !== '' && { unix: where.socket }),
    })
    const { status, reason } = Answer.parse(await answer.json())
    return { isFilestead: true, reason: answer.ok && status === 'OK' ? undefined : (reason ?? status) }
  } catch {
    const reason =
      answer === undefined
        ? `No server answers at ${url}. Is it running, with the same --address and --port?`
        : `${url} answers ${answer.status}, and not as Filestead does: is --baseURL or --port another one?`
    return { isFilestead: false, reason }
  }
}

function originOf({ address, port, cert, socket }: ServerAddress): string {
  if (socket !== '') return 'http://localhost'
  const isEvery = address === '' || address === '0.0.0.0' || address === '::'
  const host = isEvery ? '127.0.0.1' : address.includes(':') ? `[${address}]` : address
  return `${cert === '' ? 'http' : 'https'}://${host}:${port}`
}
