/** Lets a few work at a time; the others wait in the order they came. */
interface Queue {
  turn(): Turn
}

/** Ends when it is disposed of, whether it has begun or not. */
interface Turn extends Disposable {
  /** Begins if nobody else has to end first; true when it has begun, now or before. */
  begins(): boolean
  /** Waits until it begins. */
  begun(): Promise<void>
}

export function queueOf(width: number): Queue {
  const waiting: (() => void)[] = []
  let free = width
  return {
    turn() {
      let hasBegun = false
      return {
        begins() {
          if (hasBegun || free === 0) return hasBegun
          free -= 1
          hasBegun = true
          return true
        },
        async begun() {
          if (this.begins()) return
          await new Promise<void>((begin) => waiting.push(begin))
          hasBegun = true
        },
        [Symbol.dispose]() {
          if (!hasBegun) return
          hasBegun = false
          const next = waiting.shift()
          if (next === undefined) free += 1
          else next()
        },
      }
    },
  }
}
