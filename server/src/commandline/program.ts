import { existsSync } from 'node:fs'
import { Command, Option } from 'commander'
import type { z } from 'zod'
import { databaseIn, type Given, ServerOptions, shortFlags } from '../config.ts'
import { version } from '../version.ts'
import { configInit } from './config-init.ts'
import { serve } from './serve.ts'
import { addUserOptions } from './user-options.ts'
import { usersAdd } from './users-add.ts'

/** The command line: `filestead` serves, its sub-commands look after users and settings. */
export function program(): Command {
  const root = new Command('filestead')
    .description('A self-hosted web file manager.')
    .option('-d, --database <file>', 'database file (default: ./filestead.db)')
    .version(`Filestead ${version}`, '-v, --version', 'show the version')
    .action((_options, command: Command) => serve(command.opts()))
  addServerOptions(root)

  const config = root.command('config').description('look after the settings')
  const init = config
    .command('init')
    .description('create a database with first settings')
    .option(...databaseFlag)
  addUserOptions(addServerOptions(init)).action((_options, command: Command) => configInit(givenTo(command)))

  const users = root.command('users').description('look after users')
  const add = users
    .command('add <name> <password>')
    .description('create a user')
    .option(...databaseFlag)
  addUserOptions(add).action((name: string, password: string, _options, command: Command) =>
    usersAdd(existingDatabase(givenTo(command)), name, password, givenTo(command)),
  )
  return root
}

const databaseFlag = ['-d, --database <file>', 'database file (default: ./filestead.db)'] as const

/** Options may stand before or after the name of the command. */
const givenTo = (command: Command): Given => command.optsWithGlobals()

function existingDatabase(given: Given): string {
  const file = databaseIn(given)
  if (!existsSync(file)) throw new Error(`${file} does not exist. Please run 'filestead config init' first.`)
  return file
}

function addServerOptions(command: Command): Command {
  for (const [key, schema] of Object.entries(ServerOptions.shape) as [keyof ServerOptions, z.ZodType][]) {
    const short = shortFlags[key] === undefined ? '' : `-${shortFlags[key]}, `
    // A switch may be given alone or with =true and =false.
    const value = key.startsWith('disable') ? '[yes]' : '<value>'
    command.addOption(new Option(`${short}--${key} ${value}`, schema.description ?? ''))
  }
  return command
}
