import { program } from './commandline/program.ts'

/** The process: one line for whatever went wrong, and an exit code that scripts can read. */
try {
  await program().parseAsync(process.argv)
} catch (error) {
  process.stderr.write(`Error: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
