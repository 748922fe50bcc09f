import type { OpenFile } from '../storage/port.ts'

/** The descriptor behind an open file, where it lies on a disk: still that file, whatever its name leads to by now. */
export function descriptorOf({ content }: OpenFile): number | undefined {
  const { name = '' } = content as { name?: string }
  const number = /^\/proc\/self\/fd\/(\d+)$/.exec(name)?.[1]
  return number === undefined ? undefined : Number(number)
}
