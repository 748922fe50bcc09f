import { Command, Option, type ParseOptionsResult } from 'commander'
import type { z } from 'zod'
import type { Given } from '../config/config.ts'
import { defaultOf, descriptionOf, type OptionDescription } from '../config/descriptions.ts'
import { configOption, databaseOption, formerNames } from '../config/options.ts'
import { Failure } from '../failure.ts'
import { notice } from './output.ts'

/**
 * A command that parses its arguments as File Browser did: a switch stands alone or with =true and =false and never takes
 * the next argument as its value, -p=80 is -p 80, and renamed flags are still understood. Commander has no setting for
 * any of the three, so the arguments are rewritten before it parses them.
 */
export class CommandLine extends Command {
  override createCommand(name?: string): CommandLine {
    return new CommandLine(name)
  }

  /** A command below this one; `spelling` is 'add <name> <password>'. */
  below(spelling: string, description: string): CommandLine {
    const command = this.command(spelling).description(description).helpCommand(false)
    if (command instanceof CommandLine) return command
    throw new Error('A command made by another kind of command')
  }

  override parseOptions(args: string[]): ParseOptionsResult {
    const result = super.parseOptions([...this.normalised(args)])
    const [name] = result.operands
    // The root command has an action, so that commander would call an unknown command an argument too many.
    if (this.commands.length > 0 && name !== undefined) this.commandAt([name])
    return result
  }

  /** The command with this name, or the one below it that the further names lead to. */
  commandAt([name, ...rest]: readonly string[]): CommandLine {
    if (name === undefined) return this
    const found = this.commands.find((command) => command.name() === name)
    if (!(found instanceof CommandLine)) return this.refuseUnknown(name)
    return found.commandAt(rest)
  }

  /** A command without an action is refused by commander itself, which suggests a similar name. */
  private refuseUnknown(name: string): never {
    const withoutAction = new Command()
      .exitOverride()
      .configureOutput({ outputError: () => {} })
      .helpCommand(false)
    for (const command of this.commands) withoutAction.command(command.name())
    try {
      withoutAction.parse([name], { from: 'user' })
    } catch (error) {
      if (error instanceof Error && error.message.includes('Did you mean')) throw error
    }
    throw new Failure('invalid', `unknown command '${name}'; 'filestead help' lists all`)
  }

  /** What the command does, which is loaded when it is called: with its arguments, then its flags. */
  runs<Arguments extends readonly unknown[]>(
    load: () => Promise<(...given: [...Arguments, Given]) => void | Promise<void>>,
  ): this {
    return this.action(async (...all) => (await load())(...(all.slice(0, -2) as [...Arguments]), givenTo(this)))
  }

  /** Adds a flag for every field of a schema, with the spelling, help and default that the schema holds. */
  flags(schema: z.ZodObject): this {
    for (const [key, field] of Object.entries(schema.shape) as [string, z.ZodType][])
      this.flag(key, descriptionOf(field), defaultOf(field))
    return this
  }

  /** Adds the flags that say where the database is. */
  needsDatabase(): this {
    return this.flag('database', databaseOption).flag('config', configOption)
  }

  /** Adds the flags of every command that opens the database and ends. */
  worksOnDatabase(): this {
    return this.needsDatabase().flag('quiet', quietOption)
  }

  /** Adds --json to a command with a result for scripts. */
  canPrintJson(): this {
    return this.flag('json', jsonOption)
  }

  flag(key: string, { short, value, description, group }: OptionDescription, usual?: unknown): this {
    const flag = new Option(
      `${short ? `-${short}, ` : ''}--${key} ${value ?? '[yes]'}`,
      withDefault(description, usual),
    )
    // A list may be given in several flags.
    if (value === '<a,b>' || value === '<name=folder>')
      flag.argParser((part: string, before) => (before === undefined ? part : `${before},${part}`))
    if (group === '') flag.hideHelp()
    return this.addOption(flag.helpGroup(`${group}:`))
  }

  private *normalised(args: readonly string[]): Generator<string> {
    const rest = [...args]
    for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
      // An unset variable in a script, such as "$NOAUTH", leaves an empty argument.
      if (arg === '' && this.commands.length > 0) continue
      const isOperand = !arg.startsWith('-') || arg === '-'
      if (arg === '--' || (isOperand && this.commands.length > 0)) {
        yield* [arg, ...rest]
        return
      }
      const [, name = '', value] = /^(--?[^=]+)(?:=(.*))?$/s.exec(arg) ?? []
      const option = isOperand ? undefined : this.optionCalled(name)
      if (option?.optional) yield `${option.long}=${value ?? 'true'}`
      // The next argument is the value, also if it begins with a dash.
      else if (option?.required)
        yield* value === undefined ? [`${option.long}`, ...rest.splice(0, 1)] : [`${option.long}=${value}`]
      else yield* this.ungrouped(arg)
    }
  }

  /** -ar is -a -r where both are switches. */
  private ungrouped(arg: string): string[] {
    const letters = /^-([A-Za-z]{2,})$/.exec(arg)?.[1] ?? ''
    const options = [...letters].map((letter) => this.optionCalled(`-${letter}`))
    const areSwitches = options.length > 0 && options.every((option) => option?.optional)
    return areSwitches ? options.map((option) => `${option?.long}=true`) : [arg]
  }

  private optionCalled(name: string): Option | undefined {
    const option = this.options.find(({ short, long }) => name === short || name === long)
    const current = formerNames[name.replace(/^--/, '')]
    if (option !== undefined || current === undefined || !name.startsWith('--')) return option
    const renamed = this.options.find(({ long }) => long === `--${current}`)
    if (renamed !== undefined) notice(`The flag ${name} is now called --${current}`)
    return renamed
  }
}

const quietOption: OptionDescription = {
  group: 'Everywhere',
  description: 'print only results, warnings and errors',
  short: 'q',
}

const jsonOption: OptionDescription = { group: 'Everywhere', description: 'print the result as JSON' }

/** The flags of a command. --database, --config and --root may also stand before its name. */
export function givenTo(command: Command): Given {
  const { database, config, root }: Given = command.parent === null ? {} : givenTo(command.parent)
  return { database, config, root, ...command.opts() }
}

/** Refuses other flags before the name of a command, which would have no effect. */
export function requireInPlace(root: Command, command: Command): void {
  const misplaced = Object.keys(root.opts()).find((key) => !['database', 'config', 'root'].includes(key))
  if (command !== root && misplaced !== undefined)
    throw new Failure('invalid', `--${misplaced} stands before '${command.name()}' and would be ignored; put it behind`)
}

const withDefault = (description: string, usual: unknown): string =>
  usual === undefined || usual === '' || usual === false ? description : `${description} (default: ${usual})`
