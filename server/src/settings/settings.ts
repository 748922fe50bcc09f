import { randomBytes } from 'node:crypto'
import { AuthSettings, Settings, type WebSettings } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { normaliseRules } from '../access/rules.ts'
import { durableTransaction } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { documentOf, saveDocument, saveFirstDocument, versionFinder } from './store.ts'

export interface SettingsDeps {
  db: Kysely<Database>
}

/** The current settings: cached, and read again when their version has changed, also by another process. */
export type ReadSettings = () => Promise<Settings>

/** The same for a request that has read their version already. */
export type SettingsAt = (version: number) => Promise<Settings>

export function settingsReader(db: Kysely<Database>): { now: ReadSettings; at: SettingsAt } {
  const version = versionFinder(db)
  let known: VersionedSettings | undefined
  const at: SettingsAt = async (current) => {
    if (known?.version !== current) known = await versionedSettings({ db })
    return known.settings
  }
  return { at, now: async () => at(await version('settings')) }
}

export async function readAuth({ db }: SettingsDeps): Promise<AuthSettings> {
  return AuthSettings.parse(JSON.parse((await documentOf(db, 'auth'))?.value ?? '{}'))
}

export interface VersionedSettings {
  readonly settings: Settings
  /** Grows with every change of any process. */
  readonly version: number
}

export async function versionedSettings({ db }: SettingsDeps): Promise<VersionedSettings> {
  const row = await documentOf(db, 'settings')
  return { version: row?.version ?? 0, settings: Settings.parse(JSON.parse(row?.value ?? '{}')) }
}

/**
 * Replaces all settings that the web may change, in one transaction. `isExpected` is the precondition on the stored
 * version, so that a change made meanwhile is not undone. Returns the new version.
 */
export function changeSettings(
  { db }: SettingsDeps,
  wanted: WebSettings,
  isExpected: (version: number) => boolean,
): Promise<number> {
  return durableTransaction(db, 'serializable', async (trx) => {
    const { settings: current, version } = await versionedSettings({ db: trx })
    if (!isExpected(version)) throw new Failure('changed-meanwhile', 'The settings were changed since they were read')
    // Files in that folder are served without a session, so the web must not name another folder of the host.
    const { files } = current.branding
    if (wanted.branding.files !== '' && wanted.branding.files !== files)
      throw new Failure('forbidden', 'The branding directory is set on the command line: config set --branding.files')
    await saveDocument(trx, 'settings', {
      ...current,
      ...wanted,
      rules: normaliseRules(wanted.rules),
      branding: { ...wanted.branding, files },
      // Set on the command line only: a stolen session must not change how users sign in.
      authMethod: current.authMethod,
    })
    return version + 1
  })
}

export const webPart = ({ logoutPage: _page, fileMode: _file, dirMode: _dir, ...rest }: Settings): WebSettings => rest

/** The key that signs tokens: made once, at random, and never shown. */
export async function signingKey(db: Kysely<Database>): Promise<Uint8Array> {
  // Read first: a start on a full disk has nothing to write.
  const known = await documentOf(db, 'key')
  if (known === undefined) await saveFirstDocument(db, 'key', randomBytes(64).toString('base64'))
  const row = known ?? (await documentOf(db, 'key'))
  return Buffer.from(JSON.parse(row?.value ?? '""'), 'base64')
}
