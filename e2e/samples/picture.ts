import { crc32, deflateSync } from 'node:zlib'

type Colour = readonly [red: number, green: number, blue: number]

/** A PNG of one colour with a white corner at the top left, so that a turn can be seen. */
export function picture(width: number, height: number, colour: Colour = [40, 110, 120]): Uint8Array {
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.concat([
      Buffer.of(0),
      ...Array.from({ length: width }, (_, x) =>
        Buffer.from(x < width / 4 && y < height / 4 ? [255, 255, 255] : colour),
      ),
    ]),
  )
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
