import type { Effect, Keep, KeepStores } from '../keeping.ts'

export const bothStores: KeepStores = { trash: true, versions: true }

let operations = 0

/** A keep of an operation of its own. */
export function keepFor(cause: Keep['cause']): Keep {
  operations += 1
  return {
    operation: `00000000-0000-7000-8000-${String(operations).padStart(12, '0')}`,
    user: { id: 1, name: 'ann' },
    door: 'api',
    cause,
  }
}

/** The parts of a disk that keeps, and what it has told. */
export function keepingParts(stores = bothStores) {
  const told: Effect[] = []
  const byOperation = new Map<string, Effect[]>()
  return {
    told,
    stores: () => stores,
    tell(operation: string, effects: readonly Effect[]) {
      told.push(...effects)
      byOperation.set(operation, [...(byOperation.get(operation) ?? []), ...effects])
    },
    effectsOf: (operation: string) => byOperation.get(operation) ?? [],
  }
}
