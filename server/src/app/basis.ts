import type { Kysely } from 'kysely'
import { accessReader } from '../access/access.ts'
import type { Limits } from '../access/limits.ts'
import { readOnly, unrestricted } from '../access/read-only.ts'
import { type Clock, systemClock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { accessVersion } from '../database/counters.ts'
import { openDatabase } from '../database/open.ts'
import { doorbellOf } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { formerGrantsFor, grantsFor } from '../grants/store.ts'
import { groupIdsOf } from '../groups/store.ts'
import type { TellOfMount } from '../history/kept.ts'
import type { Log } from '../log/log.ts'
import type { MountDeps } from '../mounts/mounts.ts'
import { makeSpool } from '../mounts/own-places.ts'
import { messagesIn } from '../nodes/messages.ts'
import { joinNodes } from '../nodes/node.ts'
import { noSiblings, type Siblings } from '../nodes/siblings.ts'
import type { DecoderOptions } from '../previews/decoders.ts'
import { type ReadSettings, type SettingsAt, settingsReader } from '../settings/settings.ts'
import type { Storage } from '../storage/port.ts'
import { servedStorage } from './served-storage.ts'

/** What tests and the surroundings of a process put in the place of what a server makes itself. */
export interface Replacements {
  readonly db?: Kysely<Database>
  readonly clock?: Clock
  readonly limits?: Limits
  readonly decoders?: Partial<DecoderOptions>
  readonly uploadExpiryDelay?: number
  readonly siblings?: Siblings
  storageAt?(base: string): Storage
  /** Called when a newer version has changed the tables under this one. */
  outdated?(): void
  readonly openRemote?: MountDeps['openRemote']
}

/** What every room stands on: the database, this process among those over it, the storage, and the rights in it. */
export async function basisOf(config: Config, log: Log, replace: Replacements) {
  const db =
    replace.db ?? (await openDatabase(config.database, { isServer: true, connections: config.databaseConnections }))
  const clock = replace.clock ?? systemClock
  const reader = settingsReader(db)
  let latest = await reader.now()
  // Every request reads the settings first, so the modes that the storage takes from `latest` are current.
  const settings: ReadSettings = async () => {
    latest = await reader.now()
    return latest
  }
  const settingsAt: SettingsAt = async (version) => {
    latest = await reader.at(version)
    return latest
  }

  const node = joinNodes(makeSpool(config), {
    db,
    clock,
    timeout: config.nodeTimeout,
    leaseLost: () => {
      log.warn('Another server took this one for dead; what was under way may have been cleared away')
      messages?.missed()
    },
    outdated: () => replace.outdated?.(),
  })
  const bell = doorbellOf(db)
  // All processes over one PostgreSQL talk by its rows, those of one machine, too: each is a node.
  const messages = bell && messagesIn({ db, bell, node, clock })
  const siblings = messages ?? replace.siblings ?? noSiblings

  // The room that is told of the effects of changes is made of this storage, so that it can only be named afterwards.
  let tell: TellOfMount = () => {}
  const { mounts, snapshots, lookAt } = await servedStorage(config, {
    ...{ db, clock, log, node },
    modes: () => ({ file: latest.fileMode, folder: latest.dirMode }),
    tell: (...told) => tell(...told),
    openRemote: replace.openRemote,
  })
  const storageAt = replace.storageAt ?? mounts.storageAt
  const access = accessReader({
    version: accessVersion(db),
    mounts: { ...mounts, storageAt },
    groupIdsOf: (user) => groupIdsOf(db, user),
    grantsFor: (subjects) => grantsFor(db, subjects),
    formerGrantsFor: (subjects, since) => formerGrantsFor(db, subjects, since),
  })
  return {
    ...{ config, log, db, clock, settings, settingsAt, node, messages, siblings },
    ...{ mounts, snapshots, lookAt, storageAt, access },
    /** As the last request that read them saw them. */
    latestSettings: () => latest,
    isOneOfSeveral: config.processes > 1 || messages !== undefined,
    restrict: config.readOnly ? readOnly : unrestricted,
    tellEffects(receiver: TellOfMount) {
      tell = receiver
    },
  }
}

export type Basis = Awaited<ReturnType<typeof basisOf>>
