import { connect } from 'node:tls'
import { type Finding, findingsAbout, sizeText } from './finding.ts'

const about = findingsAbout('From outside')
const timeout = 10_000
const day = 86_400_000
const warnBefore = 14 * day

/** Checks the public address, through the proxy if there is one. `chunkSize` is the size of one request of an upload. */
export async function examineOutside(url: string, chunkSize: number): Promise<Finding[]> {
  const base = url.replace(/\/+$/, '')
  const reached = await examineAnswer(base)
  if (reached.state === 'bad') return [reached]
  return [
    reached,
    await examineChunkSize(base, chunkSize),
    ...(base.startsWith('https:') ? await examineCertificate(base) : []),
  ]
}

async function examineAnswer(base: string): Promise<Finding> {
  try {
    const answer = await fetch(`${base}/health`, { signal: AbortSignal.timeout(timeout), redirect: 'manual' })
    const text = await answer.text()
    if (text.includes('"status":"OK"')) return about.good(`${base} leads to the server`)
    if (text.includes('"status":'))
      return about.bad(
        `${base} leads to the server, but its health check fails: ${text}`,
        'See docs/operating/metrics.md for the reason.',
      )
    return about.bad(
      `${base}/health is answered with ${answer.status} by something else than Filestead.`,
      'Look whether the proxy passes the path on as it is, and whether --baseURL is the path in the address.',
    )
  } catch (error) {
    return about.bad(
      `${base} cannot be reached: ${(error as Error).message}`,
      'Look whether the proxy runs, whether the name leads to it, and whether its certificate is valid.',
    )
  }
}

async function examineChunkSize(base: string, chunkSize: number): Promise<Finding> {
  const refused = await fetch(`${base}/health`, {
    method: 'POST',
    body: new Uint8Array(chunkSize),
    signal: AbortSignal.timeout(6 * timeout),
  }).then(
    (answer) => (answer.ok ? undefined : `with ${answer.status}`),
    (error: Error) => `(${error.message})`,
  )
  if (refused === undefined) return about.good(`uploads in pieces of ${sizeText(chunkSize)} come through`)
  return about.bad(
    `A chunkSize of ${sizeText(chunkSize)} of an upload is refused ${refused}.`,
    `Allow requests of that size in the proxy (nginx: client_max_body_size), or send smaller pieces: filestead config set --tus.chunkSize 1000000`,
  )
}

async function examineCertificate(base: string): Promise<Finding[]> {
  const until = await expiryOf(new URL(base))
  if (until === undefined) return []
  const shown = new Date(until).toISOString().slice(0, 10)
  return until - Date.now() < warnBefore
    ? [about.warning(`The certificate of ${base} expires on ${shown}.`, 'Look why it has not been renewed.')]
    : [about.good(`the certificate is valid until ${shown}`)]
}

function expiryOf({ hostname, port }: URL): Promise<number | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) || 443, servername: hostname }, () => {
      const { valid_to: until } = socket.getPeerCertificate()
      socket.end()
      resolve(until === undefined ? undefined : Date.parse(until))
    })
    socket.setTimeout(timeout, () => socket.destroy())
    socket.once('error', () => resolve(undefined))
    socket.once('close', () => resolve(undefined))
  })
}
