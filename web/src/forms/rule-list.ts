import type { Rule } from '@filestead/contract'

export const newRule: Rule = { regex: false, allow: true, path: '', regexp: null }

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
