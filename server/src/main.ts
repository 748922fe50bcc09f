import { CommanderError } from 'commander'
import { printError } from './cli/output.ts'
import { program } from './cli/program.ts'
import { lineOfSystemError } from './cli/system-errors.ts'
import { isDebugging } from './config/config.ts'
import { Failure } from './failure.ts'

/** The process: runs a command, prints an error in one line, and exits with 1. */
try {
  await program().parseAsync(process.argv)
} catch (error) {
  if (error instanceof CommanderError && isHelp(error)) process.exitCode = error.exitCode
  else {
    printError(lineOf(error))
    const isExpected = error instanceof Failure || error instanceof CommanderError
    if (error instanceof Error && isDebugging() && !isExpected) process.stderr.write(`${error.stack}\n`)
    process.exit(1)
  }
}

/** Help and version are errors to commander, and have been printed. */
function isHelp({ code }: CommanderError): boolean {
  return ['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(code)
}

function lineOf(error: unknown): string {
  const message = error instanceof Error ? (lineOfSystemError(error) ?? error.message) : String(error)
  return message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ')
}
