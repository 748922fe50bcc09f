import { z } from 'zod'
import { inGroup } from '../../config/descriptions.ts'
import { FilledText, Switch } from '../../config/values.ts'

const which = inGroup('Which')

/** Flags of `grants ls`. */
export const GrantFilterFlags = z.object({
  subject: which(FilledText.optional(), 'only those of alice, group:Team, everybody or guest', '-s <who>'),
  folder: which(FilledText.optional(), 'only those for this folder, such as /a or Photos:/a', '-f <folder>'),
  below: which(Switch.prefault(false), 'those for folders in it, too', '-b'),
})
