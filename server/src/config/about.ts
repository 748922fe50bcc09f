import { z } from 'zod'

/** What a person is told about an option. */
export interface About {
  /** The heading it stands under; an empty one keeps it out of the help. */
  readonly group: string
  readonly description: string
  /** What to write behind it; a switch has nothing. */
  readonly value?: string
  readonly short?: string
}

/** Says what an option is for, right where its type and default are. `spelling` is '-a <address>' or '<address>'. */
export const about =
  (group: string) =>
  <Schema extends z.ZodType>(schema: Schema, description: string, spelling = ''): Schema => {
    const { short, value } = /^(?:-(?<short>\w) ?)?(?<value>.*)$/.exec(spelling)?.groups ?? {}
    return schema.meta({ group, description, value: value || undefined, short })
  }

export function aboutOf(schema: z.ZodType): About {
  const { group, description, value, short } = (schema.meta() ?? {}) as Partial<About>
  return { group: group ?? '', description: description ?? '', value, short }
}

export const isSwitch = (schema: z.ZodType): boolean => aboutOf(schema).value === undefined

/** As people would write it: '1GB', not the bytes it stands for. */
export const defaultOf = (schema: z.ZodType): unknown =>
  schema instanceof z.ZodPrefault ? schema.def.defaultValue : undefined
