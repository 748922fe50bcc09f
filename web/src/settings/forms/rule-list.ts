import { isInside, type Rule } from '@filestead/contract'

/** Everything may be seen unless a rule denies it, so that is what a new one is for. */
export const newRule: Rule = { regex: false, allow: false, path: '', regexp: null }

/** The one text of a rule, whichever way it is meant. */
export const textOf = (rule: Rule): string => (rule.regex ? (rule.regexp?.raw ?? '') : rule.path)

/** The same rule with another text, or with its text meant another way. */
export const withText = (rule: Rule, text: string, regex = rule.regex): Rule =>
  regex
    ? { allow: rule.allow, regex, path: '', regexp: { raw: text } }
    : { allow: rule.allow, regex, path: text, regexp: null }

/** The rule at `index` one place up (-1) or down (1). */
export function moved(rules: readonly Rule[], index: number, step: 1 | -1): Rule[] {
  const others = rules.filter((_, at) => at !== index)
  const rule = rules[index]
  return rule === undefined ? others : others.toSpliced(index + step, 0, rule)
}

/** A rule about nothing would be one about everything: an empty path is the root, an empty pattern fits any name. */
export const areAllAboutSomething = (rules: readonly Rule[]): boolean =>
  rules.every((rule) => textOf(rule).trim() !== '')

export type RuleEffect =
  | 'empty'
  | 'denyPath'
  | 'denyRegex'
  | 'hiddenAlready'
  | 'allowPath'
  | 'allowRegex'
  | 'notHidden'
  | 'none'

/** What a rule does after those before it. Where that cannot be told for sure, it counts as doing something. */
export function effectOf(rule: Rule, before: readonly Rule[]): RuleEffect {
  if (!areAllAboutSomething([rule])) return 'empty'
  if (rule.regex) {
    if (!rule.allow) return 'denyRegex'
    return before.every(({ allow }) => allow) ? 'none' : 'allowRegex'
  }
  const path = pathOf(rule)
  if (rule.allow) return before.some((other) => !other.allow && mayMeet(other, path)) ? 'allowPath' : 'notHidden'
  return isHidden(path, before) ? 'hiddenAlready' : 'denyPath'
}

/** Is all of it hidden by a rule for a folder that holds it, with nothing in it shown again? */
function isHidden(path: string, rules: readonly Rule[]): boolean {
  const last = rules.findLast((rule) => mayMeet(rule, path))
  if (last === undefined || last.regex) return false
  return !last.allow && isInside(path, pathOf(last))
}

/** Could the rule be about this path, or about something in it? Of an expression that is not known. */
const mayMeet = (rule: Rule, path: string): boolean =>
  rule.regex || isInside(path, pathOf(rule)) || isInside(pathOf(rule), path)

/** As the server reads it: '/private' of 'private/'. */
const pathOf = ({ path }: Rule): string => `/${path.split('/').filter(Boolean).join('/')}`
