import { type Given, readConfig } from '../config/config.ts'
import { isFile } from '../database/kinds.ts'
import { storedOptionsIn } from '../doctor/store.ts'
import { Failure } from '../failure.ts'
import { askHealth } from '../health/ask.ts'
import { locate } from './database.ts'
import { print } from './output.ts'

/** Asks the server that runs with these options for its health, for containers and scripts without an HTTP client. */
export async function health(given: Given): Promise<void> {
  const { file, configFile } = locate(given)
  const stored = (isFile(file) && storedOptionsIn(file)) || {}
  const { reason } = await askHealth(readConfig(given, stored, configFile))
  if (reason !== undefined) throw new Failure('unavailable', reason)
  print('OK')
}
