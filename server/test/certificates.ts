import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { connect } from 'node:tls'

export interface Pair {
  readonly cert: string
  readonly key: string
}

/** A certificate for this machine, signed by itself, whose common name is `name`. */
export function makePair(folder: string, name: string, days = 30): Pair {
  const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)]
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const names = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  execFileSync('openssl', [...request, ...names, '-days', String(days), '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  })
  return { cert, key }
}

/** Shows the common name of the certificate that a new connection is given. */
export const nameShown = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      const { CN } = socket.getPeerCertificate().subject
      socket.end()
      resolve(String(CN))
    })
    socket.once('error', reject)
  })
