import { Option } from 'commander'
import { FirstStartOptions, ServerOptions } from '../config/options.ts'
import { Failure } from '../failure.ts'
import { version } from '../version.ts'
import { CommandLine, givenTo, requireInPlace } from './command-line.ts'
import { SettingsFlags } from './config/flags.ts'
import { print, setQuiet } from './output.ts'
import { addRights } from './rights-program.ts'
import { RuleFlags, RulesFlags } from './rules/flags.ts'
import { AccountFlags, UserFlags } from './users/flags.ts'

const examples = `
Switches stand alone or with =true or =false. Every flag can also be a variable (FILESTEAD_PORT) or a line of the
config file; flags win over the environment, the environment over the file, the file over the database.

Examples:
  filestead --root /srv/files                              serve a folder on http://127.0.0.1:8080
  filestead -d /var/lib/filestead.db -r /srv -a 0.0.0.0    keep the database elsewhere, listen everywhere
  filestead config init -d files.db                        make a database without starting
  filestead users add alice -d files.db                    add a user, also while the server runs
  filestead users passwd alice -d files.db                 set a new password`

const passwordHint = 'without the password it is asked for, and - reads it from standard input'

/** The command tree. Modules are imported when their command runs, so that each command starts quickly. */
export function program(): CommandLine {
  const root = new CommandLine('filestead')
    // main.ts prints errors.
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .configureHelp({ optionTerm: ({ flags }) => flags.replace(' [yes]', '') })
    .enablePositionalOptions()
    .helpCommand(false)
    .addHelpOption(new Option('-h, --help', 'show this help').helpGroup('Everywhere:'))
    .description('A self-hosted web file manager. Without a command it serves.')
    .usage('[flags] | <command>')
    .optionsGroup('Everywhere:')
    .version(`Filestead ${version}`, '-v, --version', 'show the version') as CommandLine
  root
    .needsDatabase()
    .flags(ServerOptions)
    .flags(FirstStartOptions)
    .addHelpText('after', examples)
    .hook('preAction', (_root, command) => {
      requireInPlace(root, command)
      setQuiet(command.opts().quiet === 'true')
    })
    .runs(async () => (await import('./serve/start.ts')).start)

  addConfig(root.below('config', 'manage the settings'))
  addUsers(root.below('users', 'manage users'))
  addRules(root.below('rules', 'manage the rules that hide files, for everybody or for one user'))
  addRights(root)
  addCmds(root.below('cmds', 'manage the commands that run before and after events'))
  addTakeover(root)
  addOthers(root)
  return root
}

function addConfig(config: CommandLine): void {
  const withAllFlags = (name: string, description: string) =>
    config
      .below(name, description)
      .worksOnDatabase()
      .canPrintJson()
      .flags(SettingsFlags)
      .flags(ServerOptions)
      .flags(UserFlags)

  withAllFlags('init', 'make a database with first settings').runs(
    async () => (await import('./config/commands.ts')).configInit,
  )
  withAllFlags('set', 'change settings; what is not named stays as it is').runs(
    async () => (await import('./config/commands.ts')).configSet,
  )
  config
    .below('cat', 'show the settings')
    .worksOnDatabase()
    .canPrintJson()
    .runs(async () => (await import('./config/commands.ts')).configCat)
  config
    .below('export <file>', 'write all settings, with the signing key, as File Browser imports them (.json, .yaml)')
    .worksOnDatabase()
    .runs(async () => (await import('./export.ts')).configExport)
  config
    .below('import <file>', 'put the settings that were exported in place of those that are there')
    .worksOnDatabase()
    .runs(async () => (await import('./import.ts')).configImport)
}

function addUsers(users: CommandLine): void {
  const load = () => import('./users/commands.ts')
  users
    .below('add <name> [password]', `create a user; ${passwordHint}`)
    .worksOnDatabase()
    .canPrintJson()
    .flag('root', {
      group: 'Preferences',
      description: 'where the files are, so that the folder of the user can be made',
      value: '<folder>',
      short: 'r',
    })
    .flags(UserFlags)
    .runs(async () => (await load()).usersAdd)
  users
    .below('passwd <user> [password]', `set a new password, which ends all sessions of the user; ${passwordHint}`)
    .worksOnDatabase()
    .runs(async () => (await load()).usersPassword)
  users
    .below('update <user>', 'change a user, given by id or name; what is not named stays as it is')
    .worksOnDatabase()
    .canPrintJson()
    .flags(AccountFlags)
    .flags(UserFlags)
    .runs(async () => (await load()).usersUpdate)
  users
    .below('rm <user>', 'remove a user, given by id or name; the files stay')
    .worksOnDatabase()
    .runs(async () => (await load()).usersRemove)
  users
    .below('find <user>', 'show one user, given by id or name')
    .worksOnDatabase()
    .canPrintJson()
    .runs(async () => (await load()).usersFind)
  users
    .below('ls', 'show all users')
    .worksOnDatabase()
    .canPrintJson()
    .runs(async () => (await load()).usersList)
  users
    .below('export <file>', 'write all users, with their hashes, as File Browser imports them (.json, .yaml)')
    .worksOnDatabase()
    .runs(async () => (await import('./export.ts')).usersExport)
  users
    .below('import <file>', 'add users that were exported; those without an id, or with one that is free, are new')
    .worksOnDatabase()
    .flag('overwrite', { group: 'How', description: 'replace users that have the same id instead of refusing' })
    .flag('replace', {
      group: 'How',
      description: 'remove users that are not in the file; a file beside the database keeps them',
    })
    .runs(async () => (await import('./import.ts')).usersImport)
}

function addRules(rules: CommandLine): void {
  const load = () => import('./rules/commands.ts')
  rules
    .below('ls', 'show the rules')
    .worksOnDatabase()
    .canPrintJson()
    .flags(RulesFlags)
    .runs(async () => (await load()).rulesList)
  rules
    .below(
      'add <path>',
      'add a rule for a path, or for a regular expression with --regex; the last that matches decides',
    )
    .worksOnDatabase()
    .flags(RulesFlags)
    .flags(RuleFlags)
    .runs(async () => (await load()).rulesAdd)
  rules
    .below('rm [first] [last]', 'remove the rule with this number, or all from the first to the last')
    .worksOnDatabase()
    .flags(RulesFlags)
    // File Browser required the number a second time, as this flag; scripts still give it.
    .flag('index', { group: '', description: 'number of the rule', value: '<number>' })
    .action(async (first: string | undefined, last: string | undefined, options, command: CommandLine) => {
      const from = first ?? options.index
      if (from === undefined) throw new Failure('invalid', "missing required argument 'first'")
      return (await load()).rulesRemove(from, last, givenTo(command))
    })
}

function addCmds(cmds: CommandLine): void {
  const load = () => import('./cmds.ts')
  cmds
    .below('ls', 'show the commands')
    .worksOnDatabase()
    .canPrintJson()
    .flag('event', { group: 'Which', description: 'only those of this event', value: '<event>', short: 'e' })
    .runs(async () => (await load()).cmdsList)
  cmds
    .below(
      'add <event> <command...>',
      'run a command at an event such as after_upload; put it in quotes when it has flags of its own',
    )
    .worksOnDatabase()
    .action(async (event: string, words: string[], _options, command: CommandLine) =>
      (await load()).cmdsAdd(event, words.join(' '), givenTo(command)),
    )
  cmds
    .below('rm <event> <first> [last]', 'remove the command with this number, or all from the first to the last')
    .worksOnDatabase()
    .runs(async () => (await load()).cmdsRemove)
}

function addTakeover(root: CommandLine): void {
  const from = new Option(
    '--from <file>',
    'filebrowser.db, or what config export and users export wrote; may be repeated',
  )
    .argParser((name: string, before: string[] = []) => [...before, name])
    .helpGroup('What:')
  const command = root.below('takeover', 'move over from File Browser; its own files are only read')
  command
    .worksOnDatabase()
    .flag('root', { group: 'What', description: 'where the files are', value: '<folder>', short: 'r' })
    .addOption(from)
    .flag('dry-run', { group: 'How', description: 'only tell what would be taken, and what changes its meaning' })
    .flag('report', { group: 'How', description: 'write the same as JSON', value: '<file>' })
    .runs(async () => (await import('./takeover.ts')).takeover)
}

function addOthers(root: CommandLine): void {
  root
    .below('backup <file>', 'write database and config file into one file, also while the server runs')
    .worksOnDatabase()
    .runs(async () => (await import('./backup.ts')).backup)
  root
    .below('restore <file>', 'put the database of a backup in place; the one that was there is kept beside it')
    .worksOnDatabase()
    .runs(async () => (await import('./backup.ts')).restore)
  root
    .below('database', 'manage where users, links and settings are kept')
    .below('move', 'put everything into another, new database; no server may run meanwhile')
    .worksOnDatabase()
    .flag('to', {
      group: 'Where',
      description: 'a file, or an address such as postgres://user@host/database',
      value: '<database>',
    })
    .runs(async () => (await import('./move.ts')).move)
  root
    .below('health', 'ask the server that runs with these flags for its health; exit code 1 if it is not healthy')
    .worksOnDatabase()
    .flags(ServerOptions)
    .runs(async () => (await import('./health.ts')).health)
  root
    .below('doctor', 'check everything that serving needs, with the same flags; exit code 1 if something is wrong')
    .worksOnDatabase()
    .canPrintJson()
    .flag('url', {
      group: 'From outside',
      description: 'address that people use, while the server runs, such as https://files.example.org',
      value: '<url>',
    })
    .flags(ServerOptions)
    .runs(async () => (await import('./doctor.ts')).doctor)
  root
    .below('hash [password]', `show a password as it is stored, for --password; ${passwordHint}`)
    .flag('bcrypt', { group: 'Kind', description: 'as File Browser stored it' })
    .action(async (password: string | undefined, options) =>
      (await import('./hash.ts')).hash(password, { isBcrypt: options.bcrypt === 'true' }),
    )
  root.below('version', 'show the version').action(() => print(`Filestead ${version}`))
  root
    .below('completion <shell>', 'print a script that completes commands in bash, zsh, fish or powershell')
    .action(async (shell: string) => (await import('./completion.ts')).completion(shell, root))
  root
    .below('help [command...]', 'show the help of a command')
    .action((names: string[]) => root.commandAt(names).outputHelp())
}
