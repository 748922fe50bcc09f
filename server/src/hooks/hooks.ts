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
  /** The whole line goes to `settings.shell`. Set by a flag of the server only, never over the web. */
  allowShell: boolean
}

export function hooksOf({ settings, log, environment, timeLimit, allowShell }: HookOptions): Hooks {
  async function fire(trigger: string, { user, file, destination }: HookFacts): Promise<void> {
    const { commands, shell } = await settings()
    const facts = { FILE: file, SCOPE: user.scope, TRIGGER: trigger, USERNAME: user.username, DESTINATION: destination }
    for (const line of commands[trigger] ?? []) {
      const { text, waits } = waiting(line)
      const argv = allowShell && shell.length > 0 ? [...shell, text] : argumentsOf(text, facts)
      if (argv.length === 0) continue
      const done = run({ argv, environment: { ...environment, ...facts }, timeLimit })
      if (waits) await done
      else done.catch((error) => log.error({ err: error, trigger }, 'A hook failed'))
    }
  }

  return {
    before: (event, facts) =>
      fire(`before_${event}`, facts).catch((cause) => {
        throw new Failure('internal', 'A hook refused the change', { cause })
      }),
    after: (event, facts) =>
      fire(`after_${event}`, facts).catch((error) => log.error({ err: error, event }, 'A hook failed afterwards')),
  }
}

/** A line that ends with '&' is not waited for. */
function waiting(line: string): { text: string; waits: boolean } {
  const text = line.trim()
  return text.endsWith('&') ? { text: text.slice(0, -1).trim(), waits: false } : { text, waits: true }
}

/** An argument that is exactly $NAME becomes the fact; inside other text nothing is replaced, so a name is never code. */
function argumentsOf(text: string, facts: Record<string, string>): string[] {
  return wordsOf(text).map((word) => {
    const name = /^\$(?:\{(\w+)\}|(\w+))$/.exec(word)
    return facts[name?.[1] ?? name?.[2] ?? ''] ?? word
  })
}
