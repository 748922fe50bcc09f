import type { Kernel } from '../linux/kernel.ts'

/** A kernel that notes the name and first argument of every call. */
export function recordingKernel(inner: Kernel, calls: [call: keyof Kernel, first: unknown][]): Kernel {
  return new Proxy(inner, {
    get(target, name: keyof Kernel) {
      const call = target[name] as (...args: unknown[]) => unknown
      return (...args: unknown[]) => {
        calls.push([name, args[0]])
        return call(...args)
      }
    },
  })
}
