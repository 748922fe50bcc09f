import { z } from 'zod'

/** One line of the access rules. The last rule that matches a path decides. */
export const Rule = z.object({
  regex: z.boolean().default(false),
  allow: z.boolean().default(false),
  path: z.string().default(''),
  regexp: z
    .object({ raw: z.string() })
    .nullish()
    .transform((value) => value ?? null),
})
export type Rule = z.infer<typeof Rule>

/** A list that older programs may send as null. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullish()
    .transform((value) => value ?? [])
