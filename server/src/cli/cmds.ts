import { eventNames } from '@filestead/contract'
import type { Given } from '../config/config.ts'
import { Failure } from '../failure.ts'
import { changeStored, readStored } from './config/stored.ts'
import { withDatabase } from './database.ts'
import { withoutRange } from './numbered-list.ts'
import { print, printable, printJson } from './output.ts'

type Hooks = Readonly<Record<string, readonly string[]>>

export const cmdsList = (given: Given): Promise<void> =>
  withDatabase(given, async ({ db }) => {
    const { commands } = (await readStored(db)).settings
    const event = given.event === undefined ? undefined : String(given.event)
    if (event !== undefined && commands[event] === undefined) throw noSuchEvent(event)
    const shown = event === undefined ? commands : { [event]: commands[event] ?? [] }
    if (given.json === 'true') printJson(shown)
    else show(shown)
  })

export const cmdsAdd = (event: string, command: string, given: Given): Promise<void> => {
  // A hook for an unknown event would never run, without any error.
  if (!eventNames.some((name) => name === event)) throw noSuchEvent(event)
  if (command.trim() === '') throw new Failure('invalid', 'The command is empty')
  return changeHooks(given, event, (list) => [...list, command])
}

export const cmdsRemove = (event: string, first: string, last: string | undefined, given: Given): Promise<void> =>
  changeHooks(given, event, (list) => withoutRange(list, `command of ${event}`, first, last))

const changeHooks = (given: Given, event: string, change: (list: readonly string[]) => string[]): Promise<void> =>
  withDatabase(given, async ({ db }) => {
    const { settings } = await changeStored(db, ({ settings }) => {
      const list = settings.commands[event]
      if (list === undefined) throw noSuchEvent(event)
      return { settings: { ...settings, commands: { ...settings.commands, [event]: change(list) } } }
    })
    show(settings.commands)
  })

function show(hooks: Hooks): void {
  const lines = Object.entries(hooks).flatMap(([event, commands]) =>
    commands.map((command, at) => `${printable(event)}(${at}): ${printable(command)}`),
  )
  print(lines.join('\n') || 'There are no commands')
}

const noSuchEvent = (event: string): Failure =>
  new Failure('invalid', `There is no event ${JSON.stringify(event)}. The events are: ${eventNames.join(', ')}`)
