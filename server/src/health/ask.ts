import { z } from 'zod'

/** Where a server listens whose health is asked for. */
export interface ServerAddress {
  readonly address: string
  readonly port: number
  readonly socket: string
  readonly baseURL: string
  readonly cert: string
}

const Answer = z.object({ status: z.string(), reason: z.string().optional() })

/** Undefined when it is well, else the reason; one that is none of ours, or does not answer, has none. */
export async function askHealth(where: ServerAddress): Promise<{ isOurs: boolean; reason: string | undefined }> {
  const url = `${originOf(where)}${where.baseURL}/health`
  let answer: Response | undefined
  try {
    answer = await fetch(url, {
      signal: AbortSignal.timeout(5000),
      // It is this machine that we talk to, by an address that stands in no certificate.
      tls: { rejectUnauthorized: false },
      ...(where.socket !== '' && { unix: where.socket }),
    })
    const { status, reason } = Answer.parse(await answer.json())
    return { isOurs: true, reason: answer.ok && status === 'OK' ? undefined : (reason ?? status) }
  } catch {
    const reason =
      answer === undefined
        ? `Nobody answers at ${url}`
        : `${url} answers ${answer.status}, and not as Filestead does: is --baseURL or --port another one?`
    return { isOurs: false, reason }
  }
}

function originOf({ address, port, cert, socket }: ServerAddress): string {
  if (socket !== '') return 'http://localhost'
  const isEvery = address === '' || address === '0.0.0.0' || address === '::'
  const host = isEvery ? '127.0.0.1' : address.includes(':') ? `[${address}]` : address
  return `${cert === '' ? 'http' : 'https'}://${host}:${port}`
}
