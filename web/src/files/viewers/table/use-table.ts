import { useEffect, useRef, useState } from 'react'
import type { Encoding } from '../../formats/encodings.ts'
import type { Separator } from './parse.ts'
import type { Loaded, Order, Row } from './table.ts'
import { openTable, type TableClient } from './table-worker.ts'

export interface View {
  client: TableClient
  loaded: Loaded
  /** Rows that the filter leaves. */
  count: number
  /** Another number means that the rows are others. */
  version: number
}

/** A fetched table as it is to be seen. `null` while it loads, an error when it cannot be had. */
export function useTable(src: string) {
  const [client, setClient] = useState<TableClient | null>(null)
  const [view, setView] = useState<View | null>(null)
  const [hasFailed, setHasFailed] = useState(false)
  const [encoding, setEncoding] = useState<Encoding>()
  const [separator, setSeparator] = useState<Separator>()
  const [filter, setFilter] = useState('')
  const [order, setOrder] = useState<Order | null>(null)
  const version = useRef(0)

  useEffect(() => {
    const opened = openTable()
    const controller = new AbortController()
    const start = async () => {
      const response = await fetch(src, { signal: controller.signal })
      if (!response.ok) throw new Error(`The server answered ${response.status}`)
      await opened.open(await response.arrayBuffer())
      setClient(opened)
    }
    start().catch(() => setHasFailed(!controller.signal.aborted))
    return () => {
      controller.abort()
      opened.close()
    }
  }, [src])

  const loading = useRef<{ client: TableClient; encoding?: Encoding | undefined; separator?: Separator | undefined }>(
    null,
  )
  const known = useRef<Loaded>(null)
  useEffect(() => {
    if (client === null) return
    version.current += 1
    const own = version.current
    const show = async () => {
      const last = loading.current
      if (last?.client !== client || last.encoding !== encoding || last.separator !== separator) {
        loading.current = { client, encoding, separator }
        known.current = await client.load({ encoding, separator })
      }
      const loaded = known.current
      const count = await client.arrange(filter, order)
      // What was asked for since then comes later.
      if (own === version.current && loaded !== null) setView({ client, loaded, count, version: own })
    }
    show().catch(() => own === version.current && setHasFailed(true))
  }, [client, encoding, separator, filter, order])

  return { view, hasFailed, filter, order, setFilter, setOrder, setEncoding, setSeparator }
}

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
