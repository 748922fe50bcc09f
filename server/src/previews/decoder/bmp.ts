export interface Pixels {
  data: Buffer
  width: number
  height: number
  channels: 3 | 4
}

/** Is it a BMP as nearly all are: 24 or 32 bits a pixel, uncompressed, blue first? */
export function isUsualBmp(head: Uint8Array): boolean {
  const file = bufferOf(head)
  if (file.length < 54) return false
  const [bits, compression] = [file.readUInt16LE(28), file.readUInt32LE(30)]
  if (compression === 0) return bits === 24 || bits === 32
  return compression === 3 && bits === 32 && hasUsualMasks(file)
}

/** The pixels of such a file, which the image library does not read; undefined where some are missing. */
export function readBmp(bytes: Uint8Array): Pixels | undefined {
  const file = bufferOf(bytes)
  const [start, width, height] = [file.readUInt32LE(10), file.readInt32LE(18), file.readInt32LE(22)]
  if (width <= 0 || height === 0) return undefined
  const channels = file.readUInt16LE(28) === 24 ? 3 : 4
  const rows = Math.abs(height)
  const [length, stride] = [width * channels, Math.ceil((width * channels) / 4) * 4]
  if (start + stride * (rows - 1) + length > file.length) return undefined
  const data = Buffer.allocUnsafe(length * rows)
  for (let row = 0; row < rows; row += 1) {
    // Written from the bottom up, unless the height is negative.
    const at = start + stride * (height > 0 ? rows - 1 - row : row)
    file.copy(data, row * length, at, at + length)
  }
  // The fourth byte is rarely meant as transparency, and mostly zero.
  if (channels === 4) for (let at = 3; at < data.length; at += 4) data[at] = 255
  return { data, width, height: rows, channels }
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const hasUsualMasks = (file: Buffer): boolean =>
  file.length >= 66 &&
  file.readUInt32LE(54) === 0xff0000 &&
  file.readUInt32LE(58) === 0xff00 &&
  file.readUInt32LE(62) === 0xff
