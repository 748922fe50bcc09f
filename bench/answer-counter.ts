/** Follows an HTTP/1.1 answer over the wire and counts its body without keeping it. */
interface AnswerCounter {
  status: number
  bodyBytes: number
  /** Set by the last byte of the answer. An answer that gives no length is over when the connection is. */
  isDone: boolean
  endsWithConnection: boolean
  take(bytes: Uint8Array): void
}

export function countAnswer(): AnswerCounter {
  let head = ''
  let takeBody: ((bytes: Uint8Array) => void) | undefined

  const counter: AnswerCounter = {
    status: 0,
    bodyBytes: 0,
    isDone: false,
    endsWithConnection: false,
    take(bytes) {
      if (takeBody !== undefined) return takeBody(bytes)
      const before = head.length
      head += new TextDecoder('latin1').decode(bytes)
      const end = head.indexOf('\r\n\r\n')
      if (end === -1) return
      counter.status = Number(head.split(' ', 2)[1])
      takeBody = bodyTaker(head.slice(0, end), counter)
      takeBody(bytes.subarray(end + 4 - before))
    },
  }
  return counter
}

function bodyTaker(head: string, counter: AnswerCounter): (bytes: Uint8Array) => void {
  if (/^transfer-encoding:.*chunked/im.test(head)) return chunkTaker(counter)
  const hasNoBody = counter.status === 201 || counter.status === 204
  const length = /^content-length:\s*(\d+)/im.exec(head)?.[1] ?? (hasNoBody ? '0' : undefined)
  counter.endsWithConnection = length === undefined
  return (bytes) => {
    counter.bodyBytes += bytes.length
    counter.isDone = counter.bodyBytes >= Number(length ?? Number.POSITIVE_INFINITY)
  }
}

const LINE_FEED = 10

function chunkTaker(counter: AnswerCounter): (bytes: Uint8Array) => void {
  let left = 0
  let line = ''
  let isTrailer = false

  return (bytes) => {
    for (let at = 0; at < bytes.length; ) {
      if (left > 0) {
        const taken = Math.min(left, bytes.length - at)
        counter.bodyBytes += taken
        left -= taken
        at += taken
        continue
      }
      const byte = bytes[at++] ?? 0
      if (byte !== LINE_FEED) {
        line += String.fromCharCode(byte)
        continue
      }
      const text = line.trim()
      line = ''
      if (isTrailer) counter.isDone ||= text === ''
      // The line end after a chunk's data reads as an empty line here, and is none.
      else if (text !== '') {
        left = Number.parseInt(text, 16)
        isTrailer = left === 0
      }
    }
  }
}
