import { createHash } from 'node:crypto'
import type { ParsedKey, utils } from 'ssh2'
import { workerPool } from '../../concurrency/worker-pool.ts'
import { keyWorker } from '../../parts.ts'
import type { LockedKey } from './key-worker.ts'

/** Passphrases are slow to try on purpose: one takes a processor for up to seconds. */
const pool = workerPool<LockedKey, string | null>(keyWorker, { most: 1, idleAfter: 10_000 })

/** By the sums of keys and passphrases. */
const opened = new Map<string, ParsedKey>()
const mostOpened = 100

/** Undefined where the key is damaged, or its passphrase is missing or wrong. */
export async function openedKey(
  { parseKey }: typeof utils,
  privateKey: string,
  passphrase = '',
): Promise<ParsedKey | undefined> {
  const locked = { privateKey, passphrase }
  const sum = createHash('sha256').update(JSON.stringify(locked)).digest('hex')
  const known = opened.get(sum)
  if (known !== undefined) return known
  const text = passphrase === '' ? privateKey : await pool.run(locked)
  const key = text === null ? undefined : parseKey(text)
  if (key === undefined || key instanceof Error) return undefined
  if (opened.size >= mostOpened) opened.clear()
  opened.set(sum, key)
  return key
}
