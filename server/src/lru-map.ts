/** LRU cache: what was used longest ago goes when all that is kept weighs too much. The last one stays, whatever it weighs. */
export class LruMap<Key, Value extends object | string | number | null> {
  readonly #kept = new Map<Key, Value>()
  readonly #most: number
  readonly #weightOf: (key: Key, value: Value) => number
  #weight = 0

  /** Without `weightOf` each entry weighs 1. */
  constructor(most: number, weightOf: (key: Key, value: Value) => number = () => 1) {
    this.#most = most
    this.#weightOf = weightOf
  }

  get(key: Key): Value | undefined {
    const value = this.#kept.get(key)
    // A Map has its keys in the order in which they were added.
    if (value !== undefined && this.#kept.delete(key)) this.#kept.set(key, value)
    return value
  }

  set(key: Key, value: Value): void {
    this.delete(key)
    this.#kept.set(key, value)
    this.#weight += this.#weightOf(key, value)
    for (const oldest of this.#kept.keys()) {
      if (this.#weight <= this.#most || oldest === key) return
      this.delete(oldest)
    }
  }

  delete(key: Key): void {
    const value = this.#kept.get(key)
    if (value === undefined) return
    this.#kept.delete(key)
    this.#weight -= this.#weightOf(key, value)
  }
}
