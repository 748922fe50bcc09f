import { type Given, readConfig } from '../config/config.ts'
import { Failure } from '../failure.ts'
import { askHealth } from '../health/ask.ts'
import { locate } from './database.ts'
import { print } from './output.ts'
import { firstLook } from './stored-options.ts'

/** Asks the server that runs with these options for its health, for containers and scripts without an HTTP client. */
export async function health(given: Given): Promise<void> {
  const location = locate(given)
  // The server answers also while its database does not.
  const { options = {} } = await firstLook(location).catch(() => ({ options: {} }))
  const { reason } = await askHealth(readConfig(given, options, location.configFile))
  if (reason !== undefined) throw new Failure('unavailable', reason)
  print('OK')
}
