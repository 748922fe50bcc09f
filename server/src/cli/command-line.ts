import { Command, Option, type ParseOptionsResult } from 'commander'
import type { z } from 'zod'
import { type About, aboutOf, defaultOf } from '../config/about.ts'
import type { Given } from '../config/config.ts'
import { configOption, databaseOption, formerNames } from '../config/options.ts'
import { Failure } from '../failure.ts'
import { suggestion } from './nearest.ts'
import { notice } from './say.ts'

/**
 * A command that reads its words as File Browser did: a switch stands alone or with =true and =false and never takes
 * the word behind it, -p=80 is -p 80, and flags that have been renamed are still understood.
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

  override parseOptions(words: string[]): ParseOptionsResult {
    const result = super.parseOptions([...this.spelledOut(words)])
    const [name] = result.operands
    if (this.commands.length > 0 && name !== undefined) this.commandAt([name])
    return result
  }

  /** The command of this name, and of the names behind it. */
  commandAt([name, ...rest]: readonly string[]): CommandLine {
    if (name === undefined) return this
    const found = this.commands.find((command) => command.name() === name)
    if (!(found instanceof CommandLine)) throw this.noSuchCommand(name)
    return found.commandAt(rest)
  }

  private noSuchCommand(name: string): Failure {
    const names = this.commands.map((command) => command.name())
    return new Failure('invalid', `unknown command '${name}'${suggestion(name, names)}`)
  }

  /** Flags by schema: their spelling, help and default come from where they are defined. */
  flags(schema: z.ZodObject): this {
    for (const [key, field] of Object.entries(schema.shape) as [string, z.ZodType][])
      this.flag(key, aboutOf(field), defaultOf(field))
    return this
  }

  /** What every command needs that works on a database. */
  needsDatabase(): this {
    return this.flag('database', databaseOption).flag('config', configOption)
  }

  flag(key: string, { short, value, description, group }: About, usual?: unknown): this {
    const flag = new Option(
      `${short ? `-${short}, ` : ''}--${key} ${value ?? '[yes]'}`,
      withDefault(description, usual),
    )
    // A list may be given in parts.
    if (value === '<a,b>') flag.argParser((part: string, before) => (before === undefined ? part : `${before},${part}`))
    if (group === '') flag.hideHelp()
    return this.addOption(flag.helpGroup(`${group}:`))
  }

  private *spelledOut(words: readonly string[]): Generator<string> {
    const rest = [...words]
    for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
      // "$NOAUTH" in a script, where nobody has set it.
      if (word === '' && this.commands.length > 0) continue
      const isOperand = !word.startsWith('-') || word === '-'
      if (word === '--' || (isOperand && this.commands.length > 0)) {
        yield* [word, ...rest]
        return
      }
      const [, name = '', value] = /^(--?[^=]+)(?:=(.*))?$/s.exec(word) ?? []
      const option = isOperand ? undefined : this.optionCalled(name)
      if (option?.optional) yield `${option.long}=${value ?? 'true'}`
      // What follows is the value, whatever it looks like.
      else if (option?.required)
        yield* value === undefined ? [`${option.long}`, ...rest.splice(0, 1)] : [`${option.long}=${value}`]
      else yield* this.grouped(word)
    }
  }

  /** -ar is -a -r where both are switches. */
  private grouped(word: string): string[] {
    const letters = /^-([A-Za-z]{2,})$/.exec(word)?.[1] ?? ''
    const options = [...letters].map((letter) => this.optionCalled(`-${letter}`))
    const areSwitches = options.length > 0 && options.every((option) => option?.optional)
    return areSwitches ? options.map((option) => `${option?.long}=true`) : [word]
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

/** What was given to a command; before its name may stand what every command understands. */
export function givenTo(command: Command): Given {
  const { database, config, root }: Given = command.parent === null ? {} : givenTo(command.parent)
  return { database, config, root, ...command.opts() }
}

/** Before the name of a command may stand only what every command understands; the rest would be lost in silence. */
export function requireInPlace(root: Command, command: Command): void {
  const misplaced = Object.keys(root.opts()).find((key) => !['database', 'config', 'root'].includes(key))
  if (command !== root && misplaced !== undefined)
    throw new Failure('invalid', `--${misplaced} stands before '${command.name()}' and would be ignored; put it behind`)
}

const withDefault = (description: string, usual: unknown): string =>
  usual === undefined || usual === '' || usual === false ? description : `${description} (default: ${usual})`
