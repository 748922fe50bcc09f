import { z } from 'zod'

/**
 * Renames fields that differ from the schema's in case only, as Go's JSON decoder did for File Browser: a share must not
 * be made without its password because a client sent `Password`. Where both spellings are there, the schema's counts.
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

/** The schema inside of a default, an optional or a transformation. */
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
