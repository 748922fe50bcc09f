/** What the first bytes of a file say it is, in the manner of the WHATWG MIME sniffing standard. */
export function sniffMediaType(head: Uint8Array): string {
  const markup = sniffMarkup(head)
  if (markup) return markup

  const signature = signatures.find(([, magic]) => startsWithMagic(head, magic))
  if (signature) return signature[0]

  return head.some(isBinaryByte) ? 'application/octet-stream' : 'text/plain'
}

function sniffMarkup(head: Uint8Array): string | undefined {
  const start = head.findIndex((byte) => !isWhitespace(byte))
  if (head[start] !== 0x3c) return undefined

  const opening = String.fromCharCode(...head.subarray(start, start + 16)).toLowerCase()
  if (opening.startsWith('<?xml')) return 'text/xml'
  const isHtml = htmlOpenings.some((tag) => opening.startsWith(`${tag} `) || opening.startsWith(`${tag}>`))
  return isHtml ? 'text/html' : undefined
}

const htmlOpenings =
  '<!doctype html|<!--|<html|<head|<body|<title|<style|<script|<iframe|<div|<p|<a|<b|<br|<h1|<font|<table'.split('|')

const anyBytes = (count: number) => '?'.repeat(count)

// One character per byte, and `?` for any byte. The first match wins, so the general row comes last.
// Signatures made of letters alone would claim prose ("BMW", "ID3 tags", "OTTO"), so they reach on to
// the bytes that no prose has.
const signatures: readonly (readonly [mediaType: string, magic: string])[] = [
  ['application/pdf', '%PDF-'],
  ['application/postscript', '%!PS-Adobe-'],
  ['text/plain', '\xef\xbb\xbf'],
  ['text/plain', '\xfe\xff'],
  ['text/plain', '\xff\xfe'],

  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF87a'],
  ['image/gif', 'GIF89a'],
  ['image/webp', 'RIFF????WEBPVP'],
  ['image/bmp', 'BM????\0\0\0\0'],
  ['image/vnd.microsoft.icon', '\0\0\x01\0'],
  ['image/vnd.microsoft.icon', '\0\0\x02\0'],
  ['image/tiff', 'II*\0'],
  ['image/tiff', 'MM\0*'],
  ['image/jxl', '\0\0\0\x0cJXL \r\n\x87\n'],
  ['image/jp2', '\0\0\0\x0cjP  \r\n\x87\n'],
  ['image/vnd.adobe.photoshop', '8BPS\0\x01'],
  ['image/avif', '\0???ftypavif'],
  ['image/avif', '\0???ftypavis'],
  ['image/heic', '\0???ftyphei'],
  ['image/heic-sequence', '\0???ftyphev'],
  ['image/heif', '\0???ftypmif1'],
  ['image/heif-sequence', '\0???ftypmsf1'],
  ['image/x-canon-cr3', '\0???ftypcrx '],

  ['audio/mp4', '\0???ftypM4A '],
  ['audio/mp4', '\0???ftypM4B '],
  ['audio/mpeg', 'ID3\x02\0'],
  ['audio/mpeg', 'ID3\x03\0'],
  ['audio/mpeg', 'ID3\x04\0'],
  ['audio/aiff', 'FORM????AIFF'],
  ['audio/aiff', 'FORM????AIFC'],
  ['audio/wav', 'RIFF????WAVE'],
  ['audio/midi', 'MThd\0\0\0\x06'],
  ['audio/basic', '.snd\0\0\0'],
  ['audio/flac', 'fLaC\0'],
  ['audio/flac', 'fLaC\x80'],
  ['audio/amr', '#!AMR\n'],

  ['video/quicktime', '\0???ftypqt  '],
  ['video/3gpp', '\0???ftyp3gp'],
  ['video/3gpp2', '\0???ftyp3g2'],
  ['video/mp4', '\0???ftyp'],
  ['video/x-msvideo', 'RIFF????AVI '],
  ['video/mpeg', '\0\0\x01\xba'],
  ['video/mpeg', '\0\0\x01\xb3'],
  ['video/x-flv', 'FLV\x01'],
  ['video/matroska', `\x1aE\xdf\xa3${anyBytes(1)}B\x82\x88matroska`],
  ['video/matroska', `\x1aE\xdf\xa3${anyBytes(17)}B\x82\x88matroska`],
  ['video/matroska', `\x1aE\xdf\xa3${anyBytes(24)}B\x82\x88matroska`],
  ['video/webm', '\x1aE\xdf\xa3'],

  ['audio/ogg', `OggS\0${anyBytes(23)}\x01vorbis`],
  ['audio/ogg', `OggS\0${anyBytes(23)}OpusHead`],
  ['audio/ogg', `OggS\0${anyBytes(23)}\x7fFLAC`],
  ['audio/ogg', `OggS\0${anyBytes(23)}Speex   `],
  ['video/ogg', `OggS\0${anyBytes(23)}\x80theora`],
  ['application/ogg', 'OggS\0'],

  ['font/ttf', '\0\x01\0\0\0'],
  ['font/otf', 'OTTO\0'],
  ['font/collection', 'ttcf\0'],
  ['font/woff', 'wOFF????\0'],
  ['font/woff2', 'wOF2????\0'],
  ['application/vnd.ms-fontobject', `${anyBytes(8)}\0\0\x01\0${anyBytes(22)}LP`],
  ['application/vnd.ms-fontobject', `${anyBytes(8)}\x01\0\x02\0${anyBytes(22)}LP`],
  ['application/vnd.ms-fontobject', `${anyBytes(8)}\x02\0\x02\0${anyBytes(22)}LP`],

  ['application/gzip', '\x1f\x8b\x08'],
  ['application/zip', 'PK\x03\x04'],
  ['application/zip', 'PK\x05\x06'],
  ['application/vnd.rar', 'Rar!\x1a\x07'],
  ['application/x-7z-compressed', "7z\xbc\xaf'\x1c"],
  ['application/x-xz', '\xfd7zXZ\0'],
  ['application/x-bzip2', 'BZh?1AY&SY'],
  ['application/zstd', '(\xb5/\xfd'],
  ['application/x-tar', `${anyBytes(257)}ustar\0`],
  ['application/x-tar', `${anyBytes(257)}ustar  \0`],
  ['application/wasm', '\0asm'],
  ['application/vnd.sqlite3', 'SQLite format 3\0'],
]

function startsWithMagic(head: Uint8Array, magic: string): boolean {
  for (let at = 0; at < magic.length; at++) {
    if (magic[at] !== '?' && magic.charCodeAt(at) !== head[at]) return false
  }
  return true
}

function isWhitespace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0c || byte === 0x0d
}

/** The control characters no text has; tab, line breaks, form feed and escape are left to text. */
function isBinaryByte(byte: number): boolean {
  return byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f)
}
