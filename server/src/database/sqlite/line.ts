import type { SQLQueryBindings, Database as Sqlite, Statement } from 'bun:sqlite'

/** One connection with its statements, prepared once. */
export interface Line {
  readonly sqlite: Sqlite
  /** Stays prepared until the connection is closed. */
  prepare<Row>(text: string): Statement<Row, SQLQueryBindings[]>
  all(text: string, parameters: readonly unknown[]): unknown[]
  run(text: string, parameters: readonly unknown[]): { changes: number; lastInsertRowid: number | bigint }
  /** The rows of what returns some, and how many were changed by what does not. */
  execute(text: string, parameters: readonly unknown[]): { rows: unknown[]; changes: number | undefined }
  close(): void
}

const mostStatements = 300

export function lineOn(sqlite: Sqlite): Line {
  const known = new Map<string, Statement<unknown, SQLQueryBindings[]>>()
  const kept: Statement<never, never>[] = []

  function statement(text: string): Statement<unknown, SQLQueryBindings[]> {
    const found = known.get(text)
    if (found !== undefined) return found
    if (known.size >= mostStatements) forgetAll()
    const made = sqlite.prepare<unknown, SQLQueryBindings[]>(text)
    known.set(text, made)
    return made
  }

  function forgetAll(): void {
    for (const one of known.values()) one.finalize()
    known.clear()
  }

  const given = (parameters: readonly unknown[]) => parameters as SQLQueryBindings[]
  return {
    sqlite,
    prepare<Row>(text: string) {
      const made = sqlite.prepare<Row, SQLQueryBindings[]>(text)
      kept.push(made as unknown as Statement<never, never>)
      return made
    },
    all: (text, parameters) => statement(text).all(...given(parameters)),
    run: (text, parameters) => statement(text).run(...given(parameters)),
    execute(text, parameters) {
      const asked = statement(text)
      if (asked.columnNames.length > 0) return { rows: asked.all(...given(parameters)), changes: undefined }
      return { rows: [], changes: asked.run(...given(parameters)).changes }
    },
    // With a statement left, SQLite would only seem to close, and the log would stay.
    close() {
      forgetAll()
      for (const one of kept) one.finalize()
      sqlite.close()
    },
  }
}
