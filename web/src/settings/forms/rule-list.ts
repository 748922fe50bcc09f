import type { Rule } from '@filestead/contract'

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

export type RuleEffect = 'empty' | 'denyPath' | 'denyRegex' | 'allowPath' | 'allowRegex' | 'none'

/** What a rule does after those before it. Allowing something that no earlier rule denies does nothing. */
export function effectOf(rule: Rule, before: readonly Rule[]): RuleEffect {
  if (!areAllAboutSomething([rule])) return 'empty'
  if (!rule.allow) return rule.regex ? 'denyRegex' : 'denyPath'
  if (before.every(({ allow }) => allow)) return 'none'
  return rule.regex ? 'allowRegex' : 'allowPath'
}
