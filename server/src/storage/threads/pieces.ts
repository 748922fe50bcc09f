import type { ReadPart } from '../streamed-content.ts'

type Read = (start: number, length: number) => Promise<Uint8Array<ArrayBuffer>>

const pieceLength = 262_144

/**
 * Parts of a file that is kept by another machine or program, as threads read them: the runtime would send it from the event
 * loop, and wait there for a mount that does not answer.
 */
export const inPieces =
  (read: Read): ReadPart =>
  (start, end) => {
    const pieces = piecesOf(read, start, end)
    return new ReadableStream({
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await pieces.return(undefined)
      },
    })
  }

/** Ends early where the file has become shorter. */
async function* piecesOf(read: Read, start: number, end: number): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  for (let at = start; at < end; ) {
    const piece = await read(at, Math.min(pieceLength, end - at))
    if (piece.length === 0) return
    at += piece.length
    yield piece
  }
}
