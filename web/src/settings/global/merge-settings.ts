/** One field was changed in two ways. */
export class Conflict extends Error {}

/**
 * What `wanted` changes about `seen`, applied to `current`, field by field and also inside of fields that are objects.
 * A field that both have changed, each to another value, is a conflict.
 */
export function merged<Value extends object>(seen: Value, wanted: Value, current: Value): Value {
  const names = [...new Set([...Object.keys(current), ...Object.keys(wanted)])] as (keyof Value)[]
  return Object.fromEntries(
    names.map((name) => [name, mergedField(seen[name], wanted[name], current[name])]),
  ) as unknown as Value
}

function mergedField(seen: unknown, wanted: unknown, current: unknown): unknown {
  if (isSame(wanted, seen) || isSame(wanted, current)) return current
  if (isSame(current, seen)) return wanted
  if (isRecord(seen) && isRecord(wanted) && isRecord(current)) return merged(seen, wanted, current)
  throw new Conflict()
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
