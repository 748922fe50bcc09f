import type { Rule, User } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { normaliseRules } from '../../access/rules.ts'
import { systemClock } from '../../clock.ts'
import { type Given, parseFlags } from '../../config/config.ts'
import type { Database } from '../../database/schema.ts'
import { Failure } from '../../failure.ts'
import { changeUser, requireAccount } from '../../users/users.ts'
import { changeStored, readStored } from '../config/stored.ts'
import { withDatabase } from '../database.ts'
import { withoutRange } from '../numbered-list.ts'
import { print, printable, printJson } from '../output.ts'
import { userCalled } from '../users/commands.ts'
import { RuleFlags, RulesFlags } from './flags.ts'

export const rulesList = (given: Given): Promise<void> => changeRules(given, (rules) => rules)

export const rulesAdd = (text: string, given: Given): Promise<void> => {
  const { allow, regex } = parseFlags(RuleFlags, given)
  const rule: Rule = { regex, allow, path: regex ? '' : text, regexp: regex ? { raw: text } : null }
  return changeRules(given, (rules) => [...rules, rule])
}

export const rulesRemove = (first: string, last: string | undefined, given: Given): Promise<void> =>
  changeRules(given, (rules) => withoutRange(rules, 'rule', first, last))

/** Prints the global rules or those of one user after a change. A change that returns its argument writes nothing. */
function changeRules(given: Given, change: (rules: readonly Rule[]) => readonly Rule[]): Promise<void> {
  const { username, id } = parseFlags(RulesFlags, given)
  if (username !== undefined && id !== undefined) throw new Failure('invalid', 'Give --username or --id, not both')
  const who = id === undefined ? username : String(id)
  return withDatabase(given, async ({ db }) => {
    const rules =
      who === undefined ? await changeGlobal(db, change) : await changeOf(db, await userCalled(db, who), change)
    if (given.json === 'true') printJson(rules)
    else print(rules.map((rule, at) => lineOf(rule, at)).join('\n') || 'There are no rules')
  })
}

async function changeGlobal(
  db: Kysely<Database>,
  change: (rules: readonly Rule[]) => readonly Rule[],
): Promise<readonly Rule[]> {
  const { settings } = await changeStored(db, ({ settings }) => {
    const rules = change(settings.rules)
    return rules === settings.rules ? {} : { settings: { ...settings, rules: normaliseRules(rules) } }
  })
  return settings.rules
}

async function changeOf(
  db: Kysely<Database>,
  user: User,
  change: (rules: readonly Rule[]) => readonly Rule[],
): Promise<readonly Rule[]> {
  if (change(user.rules) === user.rules) return user.rules
  const { settings } = await readStored(db)
  const derive = ({ rules }: User) => ({ rules: normaliseRules(change(rules)) })
  await changeUser({ db, clock: systemClock }, settings, user.id, {}, { derive })
  return (await requireAccount(db, user.id)).user.rules
}

const lineOf = ({ allow, regex, path, regexp }: Rule, at: number): string =>
  `(${at}) ${`${allow ? 'Allow' : 'Disallow'} ${regex ? 'Regex' : 'Path'}:`.padEnd(16)}${printable(regex ? (regexp?.raw ?? '') : path)}`
