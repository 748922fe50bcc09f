/** How long after a key the next one still belongs to the same word. */
const wordPause = 1000

/** Finds entries by the first letters of their names, as they are typed. */
export class TypeAhead {
  private typed = ''
  private last = 0

  /** Is a word being typed, so that a space belongs to it? */
  isTyping(now: number): boolean {
    return this.typed !== '' && now - this.last < wordPause
  }

  /** The entry to go to, or -1. The same letter again goes to the next one that starts with it. */
  next(key: string, shown: readonly { name: string }[], from: number, now: number): number {
    const isNew = !this.isTyping(now)
    this.typed = isNew ? key.toLowerCase() : this.typed + key.toLowerCase()
    this.last = now
    const isRepeated = [...this.typed].every((letter) => letter === this.typed[0])
    const found = find(shown, this.typed, isNew ? from + 1 : from)
    return found === -1 && isRepeated ? find(shown, this.typed[0] ?? '', from + 1) : found
  }
}

function find(shown: readonly { name: string }[], start: string, from: number): number {
  for (let step = 0; step < shown.length; step += 1) {
    const at = (from + step) % shown.length
    if (shown[at]?.name.toLowerCase().startsWith(start)) return at
  }
  return -1
}
