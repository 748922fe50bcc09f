import { CommanderError } from 'commander'
import { program } from './cli/program.ts'
import { isDebugging } from './config/config.ts'
import { Failure } from './failure.ts'

/** The process: one line for whatever went wrong, and an exit code that scripts can read. */
try {
  await program().parseAsync(process.argv)
} catch (error) {
  if (error instanceof CommanderError && isHelp(error)) process.exitCode = error.exitCode
  else {
    process.stderr.write(`Error: ${lineOf(error)}\n`)
    const isExpected = error instanceof Failure || error instanceof CommanderError
    if (error instanceof Error && isDebugging() && !isExpected) process.stderr.write(`${error.stack}\n`)
    process.exit(1)
  }
}

/** Help and version have been shown in full by then. */
function isHelp({ code }: CommanderError): boolean {
  return ['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(code)
}

function lineOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ')
}
