import { type Given, readConfig } from '../config/config.ts'
import { isFile } from '../database/kinds.ts'
import { storedOptionsIn } from '../doctor/store.ts'
import { Failure } from '../failure.ts'
import { askHealth } from '../health/ask.ts'
import { locate } from './database.ts'
import { say } from './say.ts'

/** For containers and scripts without a web client: asks the server that runs with these settings how it is. */
export async function health(given: Given): Promise<void> {
  const { file, configFile } = locate(given)
  const stored = (isFile(file) && storedOptionsIn(file)) || {}
  const { reason } = await askHealth(readConfig(given, stored, configFile))
  if (reason !== undefined) throw new Failure('unavailable', reason)
  say('OK')
}
