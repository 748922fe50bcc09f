import { Readable, type Transform } from 'node:stream'

/** Leads bytes through a Node stream. An error on either side ends both, and so does a taker who leaves. */
export async function* through(bytes: AsyncGenerator<Uint8Array>, stream: Transform): AsyncGenerator<Uint8Array> {
  const source = Readable.from(bytes, { objectMode: false, highWaterMark: 1 })
  source.on('error', (error) => stream.destroy(error))
  // Errors are thrown where the stream is read; one after its end has no reader, and must not end the process.
  stream.on('error', () => {})
  source.pipe(stream)
  try {
    yield* stream as AsyncIterable<Uint8Array>
  } finally {
    source.destroy()
    stream.destroy()
    // A piece may still be on its way; only then are its files closed.
    await bytes.return(undefined)
  }
}
