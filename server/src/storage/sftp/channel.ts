import type { Duplex } from 'node:stream'
import { type Field, PacketReader, PacketSplitter, packet, request, response, status } from './packets.ts'

/** What a server answers to a request that it has not carried out. */
export class StatusError extends Error {
  constructor(
    readonly status: number,
    readonly text: string,
  ) {
    super(`SFTP status ${status}: ${text}`)
  }
}

/** The connection ended, or the server fell silent, before the answer came: whether it was carried out is unknown. */
export class ConnectionLost extends Error {}

export interface Answer {
  readonly type: number
  readonly fields: PacketReader
}

interface Pending {
  readonly sentAt: number
  readonly patience: number
  resolve(answer: Answer): void
  reject(error: Error): void
}

/** Requests and answers of one SFTP session, as many at once as are wanted. */
export interface SftpChannel {
  /** The extensions that the server has named, with their versions. */
  readonly extensions: ReadonlyMap<string, string>
  readonly isLost: boolean
  /** Resolves with the answer, which is never a status other than `ok`. */
  ask(type: number, fields: readonly Field[], patience?: number): Promise<Answer>
  /** Ends the session: all that is under way fails as lost. */
  end(reason: string): void
}

export interface ChannelOptions {
  /** In milliseconds: a server that says nothing for so long while it is asked is away. */
  readonly patience: number
  /** Called once, when no more answers come. */
  lost(reason: string): void
}

/** However busy a server is with other requests, one is not answered after so many times the patience. */
const mostPatience = 12

export async function sftpChannel(stream: Duplex, options: ChannelOptions): Promise<SftpChannel> {
  const pending = new Map<number, Pending>()
  const extensions = new Map<string, string>()
  const began = Promise.withResolvers<void>()
  let nextId = 0
  let heardAt = performance.now()
  let lostBy: string | undefined
  let watch: NodeJS.Timeout | undefined

  function end(reason: string): void {
    if (lostBy !== undefined) return
    lostBy = reason
    clearInterval(watch)
    began.reject(new ConnectionLost(reason))
    for (const { reject } of pending.values()) reject(new ConnectionLost(reason))
    pending.clear()
    stream.destroy()
    options.lost(reason)
  }

  function requireSound(): void {
    const now = performance.now()
    let silent = false
    for (const { sentAt, patience } of pending.values())
      if (now - Math.max(sentAt, heardAt) > patience || now - sentAt > patience * mostPatience) silent = true
    if (silent) end('the server does not answer')
  }

  function answered(id: number): Pending {
    const asked = pending.get(id)
    if (asked === undefined) throw new RangeError('an answer to no request')
    pending.delete(id)
    if (pending.size === 0) {
      clearInterval(watch)
      watch = undefined
    }
    return asked
  }

  function settle({ resolve, reject }: Pending, type: number, fields: PacketReader): void {
    const code = type === response.outcome ? fields.number() : status.ok
    if (code === status.ok) resolve({ type, fields })
    else reject(new StatusError(code, fields.isAtEnd ? '' : fields.string().toString()))
  }

  function take(bytes: Buffer): void {
    heardAt = performance.now()
    const fields = new PacketReader(bytes)
    const type = fields.byte()
    const id = fields.number()
    if (type !== response.version) settle(answered(id), type, fields)
    else {
      while (!fields.isAtEnd) extensions.set(fields.string().toString(), fields.string().toString())
      began.resolve()
    }
  }

  const packets = new PacketSplitter(take)
  stream.on('data', (chunk: Buffer) => {
    if (lostBy !== undefined) return
    try {
      packets.push(chunk)
    } catch (error) {
      end(`the server does not speak SFTP (${error instanceof Error ? error.message : String(error)})`)
    }
  })
  for (const event of ['end', 'close', 'error'] as const) stream.on(event, () => end('the connection was closed'))

  function ask(type: number, fields: readonly Field[], patience = options.patience): Promise<Answer> {
    if (lostBy !== undefined) return Promise.reject(new ConnectionLost(lostBy))
    nextId = (nextId + 1) >>> 0
    const id = nextId
    const answer = new Promise<Answer>((resolve, reject) =>
      pending.set(id, { sentAt: performance.now(), patience, resolve, reject }),
    )
    watch ??= setInterval(requireSound, Math.max(20, Math.min(1000, options.patience / 4))).unref()
    stream.write(packet(type, id, fields))
    return answer
  }

  const silence = setTimeout(() => end('the server does not answer'), options.patience)
  // The id of this one packet is the version of the protocol.
  stream.write(packet(request.init, 3, []))
  try {
    await began.promise
  } finally {
    clearTimeout(silence)
  }
  return {
    extensions,
    get isLost() {
      return lostBy !== undefined
    },
    ask,
    end,
  }
}
