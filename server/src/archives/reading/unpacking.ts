import { Readable, type Transform } from 'node:stream'
import { Failure } from '../../failure.ts'
import { broken } from './source.ts'

/** Pipes bytes through a decoder of the runtime, which works in threads. What it cannot read is a broken archive. */
export async function* unpackedBy(
  bytes: AsyncGenerator<Uint8Array<ArrayBuffer>>,
  decoder: Transform,
): AsyncGenerator<Uint8Array> {
  const source = Readable.from(bytes, { objectMode: false, highWaterMark: 1 })
  let failure: unknown
  source.on('error', (error) => {
    failure = error
    decoder.destroy(error)
  })
  // Errors are thrown where the decoder is read; one after its end has no reader, and must not end the process.
  decoder.on('error', () => {})
  source.pipe(decoder)
  try {
    yield* decoder as AsyncIterable<Uint8Array>
  } catch (error) {
    if (failure !== undefined) throw failure
    throw error instanceof Failure ? error : broken(error)
  } finally {
    source.destroy()
    decoder.destroy()
    // The source may still be reading a piece.
    await bytes.return(undefined)
  }
}
