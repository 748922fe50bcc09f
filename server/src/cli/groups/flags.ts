import { z } from 'zod'
import { inGroup } from '../../config/descriptions.ts'
import { FilledText, List } from '../../config/values.ts'

const group = inGroup('The group')

/** Flags of `groups update`. */
export const GroupFlags = z.object({
  name: group(FilledText.optional(), 'new name', '<name>'),
  add: group(List.optional(), 'users who come in, by name or id', '<a,b>'),
  remove: group(List.optional(), 'users who go out, by name or id', '<a,b>'),
})
