import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { Failure } from '../failure.ts'
import type { Log } from '../log/log.ts'

export interface CertificateFiles {
  readonly cert: string
  readonly key: string
}

/** A certificate with the chain in its file, and its private key. */
export interface Certificate {
  readonly cert: Buffer
  readonly key: Buffer
  /** Unix time in milliseconds. */
  readonly validTo: number
}

/** Reads the pair at the start; an error also says which options name it. */
export function readCertificate(files: CertificateFiles): Certificate {
  try {
    return certificateOf(files, content(files.cert), content(files.key))
  } catch (cause) {
    const remedy = 'Name a certificate with --cert and its key with --key'
    throw new Failure('invalid', `${(cause as Error).message}. ${remedy}`, { cause })
  }
}

function content(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (cause) {
    throw unreadable(file, cause)
  }
}

function unreadable(file: string, cause: unknown): Failure {
  const { code = '', message } = cause as NodeJS.ErrnoException
  const reason = { ENOENT: 'it does not exist', EACCES: 'permission denied', EISDIR: 'it is a folder' }[code] ?? message
  return new Failure('invalid', `${file} cannot be read: ${reason}`, { cause })
}

/** Refuses what clients would refuse: an incomplete file, and a key of another certificate. */
function certificateOf(files: CertificateFiles, cert: Buffer, key: Buffer): Certificate {
  const certificate = parsed(files.cert, 'certificate', () => {
    const chain = cert.toString('latin1').match(/-----BEGIN [\s\S]+?(?=-----BEGIN|$)/g) ?? []
    const [first] = chain.map((text) => new X509Certificate(text))
    if (first === undefined) throw new Error('no certificate in it')
    return first
  })
  const privateKey = parsed(files.key, 'key', () => createPrivateKey(key))
  if (!certificate.checkPrivateKey(privateKey))
    throw new Failure('invalid', `The key ${files.key} does not belong to the certificate ${files.cert}`)
  return { cert, key, validTo: Date.parse(certificate.validTo) }
}

function parsed<T>(file: string, what: string, parse: () => T): T {
  try {
    return parse()
  } catch (cause) {
    throw new Failure('invalid', `${file} is not a whole ${what} in PEM`, { cause })
  }
}

const day = 86_400_000
/** In milliseconds: how long before its expiry a certificate is warned of. */
const warnBefore = 14 * day

export interface CertificateWatch {
  /** Checks now instead of at the next interval. */
  check(): Promise<void>
  stop(): void
}

export interface WatchOptions {
  /** In milliseconds. */
  every?: number
  now?(): number
}

/**
 * Checks the files every minute, by inode, mtime and size, and calls `renewed` when they hold another pair. While a pair
 * is incomplete, because it is being written, the old one stays in use; if it is so at the next check, one warning is
 * logged.
 */
export function watchCertificate(
  files: CertificateFiles,
  current: Certificate,
  log: Pick<Log, 'info' | 'warn'>,
  renewed: (certificate: Certificate) => void,
  { every = 60_000, now = Date.now }: WatchOptions = {},
): CertificateWatch {
  let used = current
  let usedStamp: string | undefined
  let failedStamp: string | undefined
  let warnedStamp: string | undefined
  let warnedOfExpiryAt = Number.NEGATIVE_INFINITY
  let checking: Promise<void> | undefined

  async function check(isRequested: boolean): Promise<void> {
    let stamp = 'missing'
    try {
      stamp = await stampOf(files)
      if (stamp !== usedStamp) {
        const next = certificateOf(files, await readFile(files.cert), await readFile(files.key))
        usedStamp = stamp
        if (!next.cert.equals(used.cert) || !next.key.equals(used.key)) {
          used = next
          renewed(next)
          log.info(
            { event: 'certificate', cert: files.cert, validTo: shown(next) },
            'The new TLS certificate is in use',
          )
          warnedOfExpiryAt = Number.NEGATIVE_INFINITY
        }
      }
      failedStamp = undefined
    } catch (error) {
      // Certificate and key are written one after the other: an error counts when the next check has it too.
      if (stamp !== warnedStamp && (isRequested || stamp === failedStamp)) {
        warnedStamp = stamp
        log.warn(
          { cert: files.cert, reason: (error as Error).message },
          'The new TLS certificate is not used; the old one stays',
        )
      }
      failedStamp = stamp
    }
    warnOfExpiry()
  }

  function warnOfExpiry(): void {
    if (used.validTo - now() > warnBefore || now() - warnedOfExpiryAt < day) return
    warnedOfExpiryAt = now()
    const text = used.validTo < now() ? 'The TLS certificate has expired' : 'The TLS certificate expires soon'
    log.warn({ cert: files.cert, validTo: shown(used) }, text)
  }

  const start = (isRequested: boolean): Promise<void> => {
    checking ??= check(isRequested).finally(() => {
      checking = undefined
    })
    return checking
  }
  const timer = setInterval(() => void start(false), every).unref()
  warnOfExpiry()
  return {
    async check() {
      await checking
      await start(true)
    },
    stop: () => clearInterval(timer),
  }
}

const shown = ({ validTo }: Certificate): string => new Date(validTo).toISOString().slice(0, 10)

/** Follows symlinks: ACME clients switch one to the renewed files. */
async function stampOf({ cert, key }: CertificateFiles): Promise<string> {
  const stats = await Promise.all([stat(cert), stat(key)])
  return stats.map(({ ino, mtimeMs, size }) => `${ino} ${mtimeMs} ${size}`).join(' ')
}
