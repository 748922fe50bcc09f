import type { Settings } from '@filestead/contract'
import type { HookFacts, Hooks } from '../changes/hooks.ts'
import { Failure } from '../failure.ts'
import type { Log } from '../log/log.ts'
import { run } from '../programs/run.ts'
import { wordsOf } from './words.ts'

export interface HookOptions {
  settings: () => Promise<Settings>
  log: Log
  environment: Readonly<Record<string, string | undefined>>
  timeLimit: number
  /** Passes the whole line to `settings.shell`. Can only be set by a flag of the server, never over the web. */
  allowShell: boolean
}

export function hooksOf({ settings, log, environment, timeLimit, allowShell }: HookOptions): Hooks {
  async function runAll(trigger: string, { user, file, destination }: HookFacts): Promise<void> {
    const { commands, shell } = await settings()
    const facts = { FILE: file, SCOPE: user.scope, TRIGGER: trigger, USERNAME: user.username, DESTINATION: destination }
    for (const line of commands[trigger] ?? []) {
      const { text, waits } = parseLine(line)
      const argv = allowShell && shell.length > 0 ? [...shell, text] : argumentsOf(text, facts)
      if (argv.length === 0) continue
      const done = run({ argv, environment: { ...environment, ...facts }, timeLimit })
      if (waits) await done
      else done.catch((error) => log.error({ err: error, trigger }, 'A hook failed'))
    }
  }

  return {
    before: (event, facts) =>
      runAll(`before_${event}`, facts).catch((cause) => {
        throw new Failure('internal', 'A hook refused the change', { cause })
      }),
    after: (event, facts) =>
      runAll(`after_${event}`, facts).catch((error) => log.error({ err: error, event }, 'A hook failed afterwards')),
  }
}

/** A line that ends with '&' runs in the background. */
function parseLine(line: string): { text: string; waits: boolean } {
  const text = line.trim()
  return text.endsWith('&') ? { text: text.slice(0, -1).trim(), waits: false } : { text, waits: true }
}

/** Replaces an argument that is exactly $NAME. Nothing is replaced inside other text, so a file name is never code. */
function argumentsOf(text: string, facts: Record<string, string>): string[] {
  return wordsOf(text).map((word) => {
    const name = /^\$(?:\{(\w+)\}|(\w+))$/.exec(word)
    return facts[name?.[1] ?? name?.[2] ?? ''] ?? word
  })
}
