import { useEffect, useRef, useState } from 'react'
import type { Row } from './table.ts'
import type { View } from './use-table.ts'

const blockSize = 200

/** The rows in view, fetched from the worker block by block; `undefined` for those still on their way. */
export function useRows(
  { client, version, count }: View,
  from: number,
  to: number,
): (index: number) => Row | undefined {
  const blocks = useRef({ version: -1, held: new Map<number, Row[]>() })
  const [, setArrivals] = useState(0)
  if (blocks.current.version !== version) blocks.current = { version, held: new Map() }

  useEffect(() => {
    if (blocks.current.version !== version) return
    const { held } = blocks.current
    const last = Math.floor(Math.min(to, count - 1) / blockSize)
    for (let block = Math.floor(from / blockSize); block <= last; block += 1) {
      if (held.has(block)) continue
      held.set(block, [])
      client.slice(block * blockSize, (block + 1) * blockSize).then(
        (rows) => {
          held.set(block, rows)
          setArrivals((arrivals) => arrivals + 1)
        },
        () => held.delete(block),
      )
    }
  }, [client, version, count, from, to])

  return (index) => blocks.current.held.get(Math.floor(index / blockSize))?.[index % blockSize]
}
