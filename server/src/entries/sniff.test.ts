import { describe, expect, test } from 'bun:test'
import { sniffMediaType } from './sniff.ts'

describe('sniffMediaType', () => {
  test.each([
    ['text/html', '<!DOCTYPE html>'],
    ['text/html', '\n\t\f\r <HtMl lang="en">'],
    ['text/html', '<!-- a note -->'],
    ['text/html', '<p>'],
    ['text/xml', ' <?xml version="1.0"?>'],
    ['text/plain', '<html'],
    ['text/plain', '<persons>'],
    ['text/plain', '<svg xmlns="http://www.w3.org/2000/svg">'],
    ['text/plain', 'see <p>'],
    ['application/postscript', '%!PS-Adobe-3.0'],
    ['application/pdf', '%PDF-1.7\n%\xe2\xe3'],
  ])('sees %s in the markup %j', (mediaType, head) => {
    expect(sniffMediaType(bytes(head))).toBe(mediaType)
  })

  test.each([
    ['image/png', '\x89PNG\r\n\x1a\n'],
    ['image/jpeg', '\xff\xd8\xff\xe0'],
    ['image/gif', 'GIF89a\x01\0'],
    ['image/webp', 'RIFF\x24\0\0\0WEBPVP8 '],
    ['image/bmp', 'BM\x36\0\0\0\0\0\0\0\x36'],
    ['image/vnd.microsoft.icon', '\0\0\x01\0\x01\0'],
    ['image/vnd.microsoft.icon', '\0\0\x02\0\x01\0'],
    ['image/tiff', 'II*\0\x08\0'],
    ['image/jxl', '\0\0\0\x0cJXL \r\n\x87\n'],
    ['image/avif', '\0\0\0\x20ftypavif\0\0\0\0'],
    ['image/heic', '\0\0\0\x18ftypheic\0\0\0\0'],
    ['image/heic', '\0\0\0\x18ftypheix\0\0\0\0'],
    ['image/heif', '\0\0\0\x18ftypmif1\0\0\0\0'],
    ['audio/mpeg', 'ID3\x04\0\0'],
    ['audio/aiff', 'FORM\0\0\x10\0AIFFCOMM'],
    ['audio/wav', 'RIFF\x24\0\0\0WAVEfmt '],
    ['audio/midi', 'MThd\0\0\0\x06\0\x01'],
    ['audio/flac', 'fLaC\0\0\0\x22'],
    ['audio/mp4', '\0\0\0\x20ftypM4A \0\0\0\0'],
    ['audio/ogg', `OggS\0\x02${'\0'.repeat(22)}\x01vorbis`],
    ['audio/ogg', `OggS\0\x02${'\0'.repeat(22)}OpusHead`],
    ['video/ogg', `OggS\0\x02${'\0'.repeat(22)}\x80theora`],
    ['application/ogg', `OggS\0\x02${'\0'.repeat(22)}fishead\0`],
    ['video/x-msvideo', 'RIFF\x24\0\0\0AVI LIST'],
    ['video/mp4', '\0\0\0\x20ftypisom\0\0\x02\0'],
    ['video/quicktime', '\0\0\0\x14ftypqt  \0\0\0\0'],
    ['video/webm', '\x1aE\xdf\xa3\x9fB\x86\x81\x01'],
    ['video/matroska', '\x1aE\xdf\xa3\x93B\x82\x88matroska'],
    ['video/matroska', '\x1aE\xdf\xa3\xa3B\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82\x88matroska'],
    ['font/ttf', '\0\x01\0\0\0\x0f'],
    ['font/otf', 'OTTO\0\x0b'],
    ['font/woff2', 'wOF2\0\x01\0\0\0\0'],
    ['application/vnd.ms-fontobject', `${'\x01'.repeat(8)}\x01\0\x02\0${'\x01'.repeat(22)}LP`],
    ['application/gzip', '\x1f\x8b\x08\0'],
    ['application/zip', 'PK\x03\x04\x14\0'],
    ['application/vnd.rar', 'Rar!\x1a\x07\x01\0'],
    ['application/x-7z-compressed', "7z\xbc\xaf'\x1c\0"],
    ['application/x-xz', '\xfd7zXZ\0\0'],
    ['application/x-bzip2', 'BZh91AY&SY'],
    ['application/zstd', '(\xb5/\xfd\x04'],
    ['application/x-tar', `${'name'.padEnd(257, '\0')}ustar\x0000`],
    ['application/wasm', '\0asm\x01\0\0\0'],
  ])('sees %s in %j', (mediaType, head) => {
    expect(sniffMediaType(bytes(head))).toBe(mediaType)
  })

  test.each([
    'BMW builds cars',
    'ID3 tags describe songs',
    'OTTO was a king',
    'The ftyp box comes first',
    'OggS is a page header',
    'wOFF is a font format',
    'MThd opens a MIDI file',
  ])('is not fooled by the prose %j', (head) => {
    expect(sniffMediaType(bytes(head))).toBe('text/plain')
  })

  test.each([
    '',
    'hello',
    '\xef\xbb\xbfhello',
    '\xfe\xff\0h\0i',
    '\xff\xfeh\0i\0',
    'caf\xe9',
    'a\tb\fc\r\n',
    '\x1b[31mred',
  ])('takes %j for text', (head) => {
    expect(sniffMediaType(bytes(head))).toBe('text/plain')
  })

  test.each([0x00, 0x08, 0x0b, 0x0e, 0x1a, 0x1c, 0x1f])('takes a byte %i for binary', (byte) => {
    expect(sniffMediaType(Uint8Array.of(0x61, byte, 0x61))).toBe('application/octet-stream')
  })

  test.each(['\x89PNG', 'GIF8', 'RIFF', '<'])('survives a head cut to %j', (head) => {
    expect(sniffMediaType(bytes(head))).toBe('text/plain')
  })
})

function bytes(latin1: string): Uint8Array {
  return Uint8Array.from(latin1, (character) => character.charCodeAt(0))
}
