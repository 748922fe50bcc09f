import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.ts'
import { joinNodes } from './node.ts'

/** Nodes on kernels of their own, as far as others can see: no lock of them is seen elsewhere. They beat when they are told to. */
export function distantNodes(folder: string, db: Kysely<Database>) {
  return function distant(
    name: string,
    { now = (): number => 0, leaseLost = () => {}, outdated = () => {}, sinceBeat = (): number => 0 } = {},
  ) {
    let beat = async () => {}
    const lock = () => ({
      id: `node:${name}`,
      isDecisive: false,
      isHeld: () => undefined,
      async renew() {},
      release() {},
    })
    const repeat = (given: () => Promise<void>) => {
      beat = given
      return () => {}
    }
    const node = joinNodes(folder, {
      db,
      lock,
      repeat,
      leaseLost,
      outdated,
      clock: { unixSeconds: now },
      stopwatch: () => sinceBeat,
    })
    const beats = async (count: number) => {
      for (let made = 0; made < count; made += 1) await beat()
    }
    return { ...node, beats }
  }
}
