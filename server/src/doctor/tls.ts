import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { accountName } from '../storage/linux/account.ts'
import { type Finding, findingsAbout } from './finding.ts'

const about = findingsAbout('Certificate')
const day = 86_400_000
const warnBefore = 14 * day

export function examineTls({ cert, key }: { cert: string; key: string }, now = Date.now()): Finding[] {
  if (cert === '') return []
  const certificate = opened(cert, (bytes) => new X509Certificate(bytes))
  if (certificate instanceof Error) return [unreadable(cert, 'certificate')]
  const privateKey = opened<KeyObject>(key, (bytes) => createPrivateKey(bytes))
  if (privateKey instanceof Error) return [unreadable(key, 'key')]
  if (!certificate.checkPrivateKey(privateKey))
    return [
      about.bad(
        `The key ${key} does not belong to the certificate ${cert}.`,
        'Use the pair that was issued together; a renewal may have replaced only one of them.',
      ),
    ]
  return [validity(cert, certificate, now)]
}

function validity(cert: string, certificate: X509Certificate, now: number): Finding {
  const [from, until] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)]
  const shown = new Date(until).toISOString().slice(0, 10)
  if (until <= now)
    return about.bad(
      `${cert} expired on ${shown}: browsers refuse it.`,
      'Renew it: a running server uses the new one within a minute.',
    )
  if (from > now)
    return about.bad(`${cert} is not valid yet.`, 'Look at the clock of this machine, or wait until it is.')
  if (until - now < warnBefore)
    return about.warning(
      `${cert} expires on ${shown}, in ${Math.ceil((until - now) / day)} days.`,
      'Renew it: a running server uses the new one within a minute.',
    )
  return about.good(`${cert} is valid until ${shown}`)
}

const unreadable = (file: string, what: string): Finding =>
  about.bad(`${file} cannot be read as a ${what}.`, `It must be a PEM file that account ${accountName()} may read.`)

function opened<T>(file: string, parse: (bytes: Buffer) => T): T | Error {
  try {
    return parse(readFileSync(file))
  } catch (error) {
    return error as Error
  }
}
