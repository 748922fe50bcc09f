import type { Cancellation } from '../../concurrency/cancellation.ts'
import { timeSlices } from '../../concurrency/time-slices.ts'

/** So many are sorted in one go, which takes a millisecond or two. */
const run = 16_384

/** Sorts many numbers in their own memory, in slices of time: a million at once would hold the event loop. */
export async function sortNumbers(numbers: Float64Array, signal?: Cancellation): Promise<void> {
  const pause = timeSlices(signal)
  for (let start = 0; start < numbers.length; start += run) {
    numbers.subarray(start, start + run).sort()
    const rest = pause()
    if (rest !== undefined) await rest
  }
  let [from, to]: [Float64Array, Float64Array] = [numbers, new Float64Array(numbers.length > run ? numbers.length : 0)]
  for (let width = run; width < numbers.length; width *= 2) {
    for (let start = 0; start < numbers.length; start += 2 * width) {
      const middle = Math.min(start + width, numbers.length)
      const end = Math.min(start + 2 * width, numbers.length)
      let [left, right] = [start, middle]
      for (let at = start; at < end; at += 1) {
        const takesLeft = left < middle && (right >= end || (from[left] as number) <= (from[right] as number))
        to[at] = from[takesLeft ? left : right] as number
        if (takesLeft) left += 1
        else right += 1
        const rest = at % run === 0 ? pause() : undefined
        if (rest !== undefined) await rest
      }
    }
    ;[from, to] = [to, from]
  }
  if (from !== numbers) numbers.set(from)
}
