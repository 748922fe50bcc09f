import type { SQLQueryBindings, Database as Sqlite, Statement } from 'bun:sqlite'

/** One connection with its cache of prepared statements. */
export interface Connection {
  readonly sqlite: Sqlite
  /** Stays prepared until the connection is closed. */
  prepare<Row>(text: string): Statement<Row, SQLQueryBindings[]>
  all(text: string, parameters: readonly unknown[]): unknown[]
  run(text: string, parameters: readonly unknown[]): { changes: number; lastInsertRowid: number | bigint }
  /** The rows of a statement that returns some, and how many were changed by one that does not. */
  execute(text: string, parameters: readonly unknown[]): { rows: unknown[]; changes: number | undefined }
  close(): void
}

const mostStatements = 300

export function connectionOn(sqlite: Sqlite): Connection {
  const cache = new Map<string, Statement<unknown, SQLQueryBindings[]>>()
  const kept: Statement<never, never>[] = []

  function statement(text: string): Statement<unknown, SQLQueryBindings[]> {
    const cached = cache.get(text)
    if (cached !== undefined) return cached
    if (cache.size >= mostStatements) clearCache()
    const made = sqlite.prepare<unknown, SQLQueryBindings[]>(text)
    cache.set(text, made)
    return made
  }

  function clearCache(): void {
    for (const one of cache.values()) one.finalize()
    cache.clear()
  }

  const bindings = (parameters: readonly unknown[]) => parameters as SQLQueryBindings[]
  return {
    sqlite,
    prepare<Row>(text: string) {
      const made = sqlite.prepare<Row, SQLQueryBindings[]>(text)
      kept.push(made as unknown as Statement<never, never>)
      return made
    },
    all: (text, parameters) => statement(text).all(...bindings(parameters)),
    run: (text, parameters) => statement(text).run(...bindings(parameters)),
    execute(text, parameters) {
      const prepared = statement(text)
      if (prepared.columnNames.length > 0) return { rows: prepared.all(...bindings(parameters)), changes: undefined }
      return { rows: [], changes: prepared.run(...bindings(parameters)).changes }
    },
    // With a statement left, SQLite would only seem to close, and the log would stay.
    close() {
      clearCache()
      for (const one of kept) one.finalize()
      sqlite.close()
    },
  }
}
