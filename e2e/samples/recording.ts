/** Silence as MP3: frames of 72 ms, one channel at 8 kHz and 8 kbit/s, nothing in them. */
const frame = Buffer.concat([Buffer.of(0xff, 0xe3, 0x18, 0xc4), Buffer.alloc(68)])

interface Tags {
  title: string
  artist: string
  cover?: Uint8Array
}

/** With an ID3 tag before the sound, where one is given. */
export function recording(seconds: number, tags?: Tags): Uint8Array {
  const sound = Buffer.concat(Array.from({ length: Math.ceil(seconds / 0.072) }, () => frame))
  return tags === undefined ? sound : Buffer.concat([id3(tags), sound])
}

function id3({ title, artist, cover }: Tags): Buffer {
  const text = (value: string) => Buffer.concat([Buffer.of(3), Buffer.from(value)])
  const parts = [part('TIT2', text(title)), part('TPE1', text(artist))]
  if (cover !== undefined)
    parts.push(part('APIC', Buffer.concat([Buffer.from('\x00image/png\x00\x03\x00', 'latin1'), cover])))
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from('ID3\x03\x00\x00', 'latin1'), syncSafe(body.length), body])
}

function part(id: string, data: Buffer): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(data.length)
  return Buffer.concat([Buffer.from(id, 'latin1'), size, Buffer.of(0, 0), data])
}

const syncSafe = (size: number) => Buffer.of((size >> 21) & 127, (size >> 14) & 127, (size >> 7) & 127, size & 127)
