import { z } from 'zod'

/** The help text of an option. */
export interface OptionDescription {
  /** The heading in the help; an empty one hides the option. */
  readonly group: string
  readonly description: string
  /** The placeholder of the value, such as <address>; a switch has none. */
  readonly value?: string
  readonly short?: string
}

/** Describes options of one group, next to their type and default. `spelling` is '-a <address>' or '<address>'. */
export const inGroup =
  (group: string) =>
  <Schema extends z.ZodType>(schema: Schema, description: string, spelling = ''): Schema => {
    const { short, value } = /^(?:-(?<short>\w) ?)?(?<value>.*)$/.exec(spelling)?.groups ?? {}
    return schema.meta({ group, description, value: value || undefined, short })
  }

export function descriptionOf(schema: z.ZodType): OptionDescription {
  const { group, description, value, short } = (schema.meta() ?? {}) as Partial<OptionDescription>
  return { group: group ?? '', description: description ?? '', value, short }
}

export const isSwitch = (schema: z.ZodType): boolean => descriptionOf(schema).value === undefined

/** The default as it would be written: '1GB', not the number of bytes. */
export const defaultOf = (schema: z.ZodType): unknown =>
  schema instanceof z.ZodPrefault ? schema.def.defaultValue : undefined
