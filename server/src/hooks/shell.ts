import { may } from '../access/actor.ts'
import type { Scope } from '../access/scope.ts'
import { isFailure } from '../failure.ts'
import { type OnLine, runLines } from '../programs/run.ts'
import type { VirtualPath } from '../storage/path.ts'
import { wordsOf } from './words.ts'

export interface ShellOptions {
  environment: Readonly<Record<string, string | undefined>>
  timeLimit: number
  /** Opens the folder of a path, so that it cannot be replaced before the command starts in it. */
  openFolder(scope: Scope, path: VirtualPath): Promise<{ path: string; close(): void }>
}

const refusal = 'Command not allowed.'

/** Runs one command line in a folder of the scope, if its user may. Resolves to the outcome, which is shown last. */
export async function runCommand(
  options: ShellOptions,
  scope: Scope,
  path: VirtualPath,
  line: string,
  onLine: OnLine,
  signal: AbortSignal,
): Promise<string> {
  const argv = parsed(line, onLine)
  if (argv === undefined) return 'not understood'
  // Only a program with exactly this name is started: the rest are its arguments, never another command.
  if (!mayRun(scope, argv[0] ?? '')) {
    onLine(refusal)
    return 'not allowed'
  }
  try {
    const { kind } = await scope.stat(path)
    if (kind !== 'folder') {
      onLine('This is not a folder.')
      return 'not a folder'
    }
    const { environment, timeLimit } = options
    const folder = await options.openFolder(scope, path)
    try {
      const program = { argv, environment, timeLimit, folder: folder.path }
      return `exit status ${await runLines(program, onLine, signal)}`
    } finally {
      folder.close()
    }
  } catch (error) {
    if (isFailure(error, 'forbidden')) onLine(refusal)
    else onLine(error instanceof Error ? error.message : String(error))
    return 'failed'
  }
}

const mayRun = ({ actor }: Scope, program: string): boolean =>
  may(actor, 'execute') && actor.user.commands.includes(program)

/** Is the program of a line that was allowed when it began still allowed? */
export const mayStillRun = (scope: Scope, line: string): boolean => mayRun(scope, parsed(line, () => {})?.[0] ?? '')

function parsed(line: string, onLine: OnLine): string[] | undefined {
  try {
    return wordsOf(line)
  } catch (error) {
    onLine(error instanceof Error ? error.message : String(error))
    return undefined
  }
}
