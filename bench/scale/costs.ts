/** What is asked of a server in the model. An upload is one small file in one request, a check the least that needs a session. */
export const kinds = ['check', 'listing', 'download', 'upload', 'sign-in'] as const
export type Kind = (typeof kinds)[number]

/** What one request takes. */
export interface RequestCost {
  /** Processor time of the node, in microseconds. */
  readonly nodeMicros: number
  /** Processor time of PostgreSQL, in microseconds. */
  readonly databaseMicros: number
  /** Transactions that PostgreSQL has counted. A query outside of one counts as one. */
  readonly transactions: number
}

/** Measured on one machine at one time by `measure.ts`. */
export interface Costs {
  readonly measured: { readonly at: string; readonly processors: number; readonly load: number }
  readonly requests: Readonly<Record<Kind, RequestCost>>
  /** A node that is asked nothing. */
  readonly rest: { readonly transactionsPerSecond: number; readonly megabytes: number }
  /** With a page open on a second node: rows that an upload writes for it, and what it spends on reading and telling them. */
  readonly messages: { readonly perUpload: number; readonly readMicrosPerUpload: number }
  /** In bytes, with their indexes. */
  readonly rows: { readonly user: number; readonly session: number; readonly upload: number }
  /** Processor time of a search for each name that it looks at. */
  readonly searchMicrosPerName: number
  /** Processor time of a listing on a server with SQLite. */
  readonly sqliteListingMicros: number
  /** Processor time of a request on one of two nodes, against the same beside a server of another installation. */
  readonly twoNodes: { readonly listing: number; readonly upload: number }
  /** Until `/health` answers; the tables are there. */
  readonly coldStart: { readonly wallMs: number; readonly cpuMs: number; readonly sqliteWallMs: number }
}
