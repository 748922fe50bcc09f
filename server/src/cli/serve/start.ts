import { configFileFor, databasesIn, type Given, isServingProcess, readConfig } from '../../config/config.ts'
import type { ConfigFile } from '../../config/file.ts'
import { ownParent } from '../../process/own-parent.ts'
import { ignoreSignals } from '../../process/signals.ts'
import { requireUsable } from '../database.ts'
import { firstLook } from '../stored-options.ts'
import type { SharedOptions } from './surroundings.ts'

/** Starts the server: in this process, or as the parent of several. */
export async function start(flags: Given): Promise<void> {
  ignoreSignals()
  if (isServingProcess()) return startBelowParent(flags)
  const configFile = configFileFor(flags)
  const processes = await processesFor(flags, configFile)
  // What is not needed is not loaded: a parent stays small.
  if (processes > 1) return (await import('./parent.ts')).superviseProcesses(processes, configFile)
  const [{ serve }, { alone }] = await Promise.all([import('./serve.ts'), import('./surroundings.ts')])
  return serve(flags, configFile, alone())
}

async function startBelowParent(flags: Given): Promise<void> {
  const parent = ownParent()
  const { config, configFile } = (await parent.ask('options')) as SharedOptions
  const [{ serve, serveFurther }, { among }] = await Promise.all([import('./serve.ts'), import('./surroundings.ts')])
  return config === undefined
    ? serve(flags, configFile, among(parent, 'first'))
    : serveFurther(config, among(parent, 'further'))
}

/** 1 where the options cannot be read: the start that follows says why. */
async function processesFor(flags: Given, configFile: ConfigFile): Promise<number> {
  try {
    const databases = databasesIn(flags, configFile)
    requireUsable(databases)
    const { options = {} } = await firstLook(databases)
    return readConfig(flags, options, configFile).processes
  } catch {
    return 1
  }
}
