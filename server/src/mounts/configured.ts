import type { Kysely } from 'kysely'
import type { NamedMount } from '../config/mounts.ts'
import { touchAccess } from '../database/counters.ts'
import { durableTransaction } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import type { Log } from '../log/log.ts'
import { parseAddress } from '../storage/address.ts'
import { newHistory } from './history.ts'
import { checkedMountName } from './names.ts'
import { insertMount, isLeftOut, leftOut, type MountFacts, mountsWithLeftOut, saveMount } from './store.ts'

/**
 * Makes the rows of mounts match those that the command line or a config file names. One that is not named any more is left
 * out but keeps its row, so that it has its grants again when it is named again: a start without a flag must not lose them.
 */
export async function matchConfigured(
  db: Kysely<Database>,
  wanted: readonly NamedMount[],
  log: Pick<Log, 'warn'>,
): Promise<void> {
  const stored = await mountsWithLeftOut(db)
  if (changesFor(stored, wanted).length === 0) return
  const refused: string[] = []
  try {
    await durableTransaction(db, 'serializable', async (trx) => {
      refused.splice(0)
      for (const change of changesFor(await mountsWithLeftOut(trx), wanted))
        if (change.refusal !== undefined) refused.push(change.refusal)
        else {
          await touchAccess(trx)
          if (change.id === undefined) await insertMount(trx, change.facts)
          else await saveMount(trx, { ...change.facts, id: change.id })
        }
    })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    refused.push(error.message)
  }
  for (const reason of refused) log.warn({ event: 'mount', reason }, 'A root folder of the configuration is left out')
}

interface Change {
  /** Undefined for a new one. */
  readonly id?: number
  readonly facts: Omit<MountFacts, 'id'>
  /** Why it cannot be. */
  readonly refusal?: string
}

function changesFor(stored: readonly MountFacts[], wanted: readonly NamedMount[]): Change[] {
  const changes: Change[] = []
  const named: MountFacts['name'][] = []
  const kept = new Set<number>()
  for (const mount of wanted) {
    const facts = { ...mount, source: 'config' } as const
    const row = [mount.name, leftOut(mount.name)].map((name) => stored.find(called(name))).find(Boolean)
    if (row !== undefined) kept.add(row.id)
    try {
      // One with a password in it must not come into a row, which is shown and logged.
      parseAddress(mount.folder)
      const roots = stored.filter(({ source }) => source === 'root')
      const name = checkedMountName(mount.name, [...roots, ...named.map((name) => ({ name }))])
      named.push(name)
      const history = row?.history ?? newHistory(stored)
      if (row === undefined || !isSame(row, { ...facts, name }))
        changes.push({ ...(row && { id: row.id }), facts: { ...facts, name, history } })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      changes.push({ facts, refusal: error.message })
    }
  }
  for (const row of stored)
    if (row.source === 'config' && !kept.has(row.id) && !isLeftOut(row))
      changes.push({ id: row.id, facts: { ...row, name: leftOut(row.name) } })
  return changes
}

const called =
  (name: string) =>
  (mount: MountFacts): boolean =>
    mount.name.toLowerCase() === name.trim().normalize('NFC').toLowerCase()

const isSame = (one: Omit<MountFacts, 'id'>, two: Omit<MountFacts, 'id'>): boolean =>
  one.name === two.name &&
  one.folder === two.folder &&
  one.links === two.links &&
  one.readOnly === two.readOnly &&
  one.source === two.source
