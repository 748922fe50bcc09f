import { isInside, Rule } from '@filestead/contract'
import { RE2JS } from 're2js'
import type { Changes } from './changes.ts'
import type { OldRule } from './old-records.ts'

export interface RuleOwner {
  /** The user in the report; empty for global rules. */
  name: string
  link: string
}

/**
 * Rules as they are kept. A rule that denies may deny more than it did; one that allows must never allow more, so one
 * that never matched is left behind. `earlier` are those that are asked before these.
 */
export function rulesFrom(
  old: readonly OldRule[],
  { name, link }: RuleOwner,
  changes: Changes,
  earlier: readonly Rule[] = [],
): Rule[] {
  const kept: Rule[] = []
  for (const rule of old) {
    const told = (text: string) => `${rule.allow ? 'allow' : 'deny'} ${text}${name && ` (${name})`}`
    if (rule.regex) {
      const raw = rule.regexp?.raw
      const isReadable = raw !== undefined && isExpression(raw)
      if (!isReadable) changes.add(rule.allow ? 'rule-dropped' : 'rule-unreadable', told(raw ?? 'nothing'), link)
      if (isReadable && !rule.allow && raw.endsWith('$')) changes.add('rule-holds-below', told(raw), link)
      // A rule without an expression crashed File Browser; here it would match everything.
      if (isReadable || !rule.allow) kept.push(ruleOf(rule))
      continue
    }
    const isRooted = rule.path === '' || rule.path.startsWith('/')
    if (!isRooted && !rule.allow) changes.add('rule-without-slash', told(rule.path), link)
    if (rule.allow && (!isRooted || /\/\/|\/\.\.?(\/|$)/.test(rule.path))) {
      changes.add('rule-dropped', told(rule.path), link)
    } else if (rule.allow && isOnlyBelow(rule.path) && mayBeDenied([...earlier, ...kept], rule.path)) {
      changes.add('rule-rewritten', told(rule.path), link)
      kept.push(Rule.parse({ regex: true, allow: true, regexp: { raw: `^${quoted(rule.path)}` } }))
    } else kept.push(ruleOf(rule))
  }
  return kept
}

const ruleOf = ({ regexp, ...rule }: OldRule): Rule => ({ ...rule, regexp: regexp ?? null })

/** '/docs/' matched everything in the folder, but not the folder itself. */
const isOnlyBelow = (path: string): boolean => path.length > 1 && path.endsWith('/')

/** Only then does it matter whether the folder itself matches. */
const mayBeDenied = (rules: readonly Rule[], path: string): boolean =>
  rules.some((rule) => !rule.allow && (rule.regex || isInside(path.slice(0, -1), `/${trimmed(rule.path)}`)))

const trimmed = (path: string): string => path.split('/').filter(Boolean).join('/')

const quoted = (text: string): string => text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')

function isExpression(source: string): boolean {
  try {
    RE2JS.compile(source)
    return true
  } catch {
    return false
  }
}
