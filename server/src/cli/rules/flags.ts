import { z } from 'zod'
import { inGroup } from '../../config/descriptions.ts'
import { FilledText, Switch, Whole } from '../../config/values.ts'

const whose = inGroup('Whose rules')
const rule = inGroup('The rule')

export const RulesFlags = z.object({
  username: whose(FilledText.optional(), 'rules of this user; without it, rules for everybody', '-u <name>'),
  id: whose(Whole(1).optional(), 'rules of the user with this id', '-i <number>'),
})

export const RuleFlags = z.object({
  allow: rule(Switch.prefault(false), 'allow what matches; without it, deny', '-a'),
  regex: rule(Switch.prefault(false), 'a regular expression instead of a path', '-r'),
})
