import { Errno } from '../linux/errno.ts'
import type { Kernel } from '../linux/kernel.ts'
import type { Storage } from '../port.ts'

/** A storage whose nth call breaks, whichever verb it is. For tests. */
export function faultyStorage(inner: Storage, failingCall: number): Storage {
  let calls = 0
  const isBroken = () => {
    calls += 1
    return calls === failingCall
  }

  const wrap = (storage: Storage): Storage =>
    new Proxy(storage, {
      get(target, verb: keyof Storage) {
        if (verb === 'capabilities') return target.capabilities
        if (verb === 'beneath') return (...args: Parameters<Storage['beneath']>) => wrap(target.beneath(...args))
        const call = target[verb] as (...args: unknown[]) => Promise<unknown>
        return async (...args: unknown[]) => {
          if (isBroken()) throw broken()
          return call(...args)
        }
      },
    })
  return wrap(inner)
}

/** A connection that is lost after so many bytes. */
export async function* breakingAfter(length: number, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let left = length
  for await (const piece of bytes) {
    if (piece.length > left) {
      yield piece.subarray(0, left)
      throw new Error('the connection broke')
    }
    yield piece
    left -= piece.length
  }
}

/** A kernel whose nth call fails; with `lasting`, every later one too, like a disk that is gone for good. */
export function faultyKernel(inner: Kernel, failingCall: number, code = 'EIO', { lasting = false } = {}): Kernel {
  let calls = 0
  return new Proxy(inner, {
    get(target, name: keyof Kernel) {
      // Linux frees the descriptor whatever close says.
      if (name === 'close') return target.close
      const call = target[name] as (...args: unknown[]) => unknown
      return (...args: unknown[]) => {
        calls += 1
        if (calls !== failingCall && !(lasting && calls > failingCall)) return call(...args)
        if (waitingCalls.has(name)) return Promise.reject(new Errno(code, 'test'))
        throw new Errno(code, 'test')
      }
    },
  })
}

const waitingCalls = new Set<keyof Kernel>([
  ...(['sizeOf', 'read', 'write', 'truncate', 'copyBytes', 'copyRange', 'sync', 'syncFileSystem'] as const),
])

const broken = () => new Error('the disk broke')
