import { type ParsedKey, utils } from 'ssh2'
import { poolTasks } from '../../concurrency/worker.ts'

declare const self: Worker

export interface LockedKey {
  readonly privateKey: string
  readonly passphrase: string
}

/** The same key without a passphrase, as `utils.parseKey` reads it; null where this one does not open it. */
function unlocked({ privateKey, passphrase }: LockedKey): string | null {
  const key = utils.parseKey(privateKey, passphrase)
  if (key instanceof Error) return null
  return key.type === 'ssh-ed25519' ? openSshText(key) : key.getPrivatePEM()
}

/** The library writes these keys in a form that it does not read: so they are written as ssh-keygen does. */
function openSshText(key: ParsedKey): string {
  const seed = Buffer.from(key.getPrivatePEM().replace(/-----.*?-----|\s/g, ''), 'base64').subarray(-32)
  const shown = key.getPublicSSH()
  const check = Buffer.alloc(8)
  const facts = Buffer.concat([check, shown, field(Buffer.concat([seed, shown.subarray(-32)])), field('')])
  const padding = Uint8Array.from({ length: (8 - (facts.length % 8)) % 8 }, (_, at) => at + 1)
  const kinds = [field('none'), field('none'), field(''), number(1)]
  const all = [Buffer.from('openssh-key-v1\0'), ...kinds, field(shown), field(Buffer.concat([facts, padding]))]
  const lines =
    Buffer.concat(all)
      .toString('base64')
      .match(/.{1,70}/g) ?? []
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n')
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function field(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content)
  return Buffer.concat([number(bytes.length), bytes])
}

self.onmessage = poolTasks(unlocked)
