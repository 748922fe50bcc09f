import { z } from 'zod'

/**
 * The same value with its fields spelt as the shape spells them: File Browser understood `Password` as well, and a link
 * must not come out without one because a letter was large. Of two spellings of a field the right one counts.
 */
export function withKnownNames(value: unknown, shape: z.core.$ZodType): unknown {
  if (typeof value !== 'object' || value === null) return value
  const inner = withoutWrapping(shape)
  if (Array.isArray(value))
    return inner instanceof z.ZodArray ? value.map((item) => withKnownNames(item, inner.element)) : value
  if (!(inner instanceof z.ZodObject)) return value
  const fields: Record<string, z.core.$ZodType> = inner.shape
  const names = new Map(Object.keys(fields).map((name) => [name.toLowerCase(), name]))
  const nameOf = (written: string): string => {
    const name = names.get(written.toLowerCase())
    return name === undefined || Object.hasOwn(value, name) ? written : name
  }
  return Object.fromEntries(
    Object.entries(value).map(([written, field]) => {
      const name = nameOf(written)
      const known = fields[name]
      return [name, known === undefined ? field : withKnownNames(field, known)]
    }),
  )
}

/** What a default, an optional or a transformation was put around. */
function withoutWrapping(shape: z.core.$ZodType): z.core.$ZodType {
  if (shape instanceof z.ZodPipe) return withoutWrapping(shape.in)
  if (
    shape instanceof z.ZodOptional ||
    shape instanceof z.ZodNullable ||
    shape instanceof z.ZodDefault ||
    shape instanceof z.ZodPrefault
  )
    return withoutWrapping(shape.unwrap())
  return shape
}
