import { describe, expect, test } from 'bun:test'
import { contentTypeOf, kindByContent, kindByName, maxTextSize } from './kinds.ts'

// What people have come to expect of the older formats, and the mistakes put right since:
// webm is video, opus and midi are audio, rpm is a package.
const inherited = {
  image: `art bmp flo fpx g3 gif ico ief iefs jfif jfif-tbnl jpe jpeg jpg jps jut nap naplps nif niff pbm pct pcx pgm
    pic pict png ppm qif qti qtif rast rf rgb rp svf svg tif tiff turbot wbmp webp x-png xbm xif xpm xwd apng avif heic
    pjp pjpeg raw`,
  video: `afl asf avi avs dif divx dl dv fli flv fmf gl isu m1v m2v m4v mjpg mkv moov mov movie mp4 mpe mpeg mpg mv ogv
    qt qtc rv vdo viv vivo vos xdr xsr webm`,
  audio: `aac aif aifc aiff amr au caf flac funk gsd gsm it jam kar la lam lma m2a m3u m4a mjf mod mp2 mp3 mpa mpga my
    oga ogg pfunk qcp ra ram rmi rmm rmp s3m sid snd spx tsi voc vox vqe vqf vql wav xm opus mid midi`,
  text: `abc acgi aip asm asp c c++ cc com conf cpp csh css csv cxx def el etx f f77 f90 flx for g h hh hlb htc htm html
    htmls htt htx ics icz idc jav java js ksh list log lsp lst lsx m manifest mar mcf mjs p pas pl pm py rexx rt rtf rtx
    s scm sdml sgm sgml sh shtml spc ssi talk tcl tcsh text tsv txt uil uni unis uri uris uu uue vcard vcf vcs vue wml
    wmls wsc xml zsh`,
  blob: 'rpm',
}

const added = {
  image: 'heif jxl cr2 nef arw dng orf rw2 raf psd',
  video: 'mts m2ts 3gp 3g2 wmv',
  audio: 'weba alac ape wma mka',
  text: `md markdown yaml yml toml ini json json5 jsonc jsonl ndjson go rs rb php tsx jsx ts kt swift scala dart lua r sql
    graphql proto tf hcl dockerfile lock env properties gradle bat ps1 svelte astro less scss sass diff patch tex bib rst
    adoc org srt vtt ass ssa sub nfo xsl gpx kml ipynb geojson xhtml m3u8 eml bashrc gitignore`,
  pdf: 'pdf',
  blob: `zip 7z rar tar gz tgz bz2 xz zst lz4 br iso dmg deb apk jar exe dll so dylib msi class pyc o a wasm sqlite db docx
    xlsx pptx doc xls ppt odt ods odp epub mobi azw3 ttf otf woff woff2 eot swf glb`,
}

describe('kindByName', () => {
  test.each([...pairs(inherited), ...pairs(added)])('takes .%s for %s', (extension, kind) => {
    expect<string | undefined>(kindByName(`name.${extension}`, 1)).toBe(kind)
    expect<string | undefined>(kindByName(`NAME.${extension.toUpperCase()}`, 1)).toBe(kind)
  })

  test.each(['README', 'Makefile', 'jpg', 'x.unheard-of', 'x.', '', 'x.bin', 'x.dat', 'x.plist', 'x.ps', 'x.stl'])(
    'cannot tell %j',
    (name) => {
      expect(kindByName(name, 1)).toBeUndefined()
      expect(kindByName(name, maxTextSize + 1)).toBeUndefined()
    },
  )

  test.each([
    ['notes.txt', 10_485_760, 'text'],
    ['notes.txt', 10_485_761, 'blob'],
    ['data.json', 10_485_760, 'text'],
    ['data.json', 10_485_761, 'blob'],
    ['notes.txt', 0, 'text'],
    ['film.mp4', 10_485_761, 'video'],
    ['scan.pdf', 10_485_761, 'pdf'],
    ['archive.zip', 1, 'blob'],
  ] as const)('takes %j of %i bytes for %s', (name, size, kind) => {
    expect(kindByName(name, size)).toBe(kind)
  })
})

describe('kindByContent', () => {
  test.each([
    ['nothing', '', 'text'],
    ['plain text', 'hello\n', 'text'],
    ['Latin-1 text', 'caf\xe9 cr\xe8me\n', 'text'],
    ['HTML', '<html>', 'text'],
    ['PostScript', '%!PS-Adobe-3.0\n', 'text'],
    ['UTF-16 with its mark', '\xff\xfeh\0i\0', 'text'],
    ['a PDF', '%PDF-1.7', 'pdf'],
    ['a PNG', '\x89PNG\r\n\x1a\n', 'image'],
    ['a WAVE', 'RIFF\x24\0\0\0WAVEfmt ', 'audio'],
    ['an MP4', '\0\0\0\x20ftypisom', 'video'],
    ['a zip', 'PK\x03\x04', 'blob'],
    ['a zstd without low bytes', '(\xb5/\xfdabc', 'blob'],
    ['a NUL', 'text, then \0', 'blob'],
    ['a bell, which is below 9', 'text, then \x07', 'blob'],
  ] as const)('takes %s for what it is', (_, head, kind) => {
    expect(kindByContent(bytes(head), head.length)).toBe(kind)
  })

  // 0x1a, the end-of-file mark of old text files, is no text to the sniffer; valid UTF-8 around it is.
  test.each([
    ['around an old end-of-file mark', 'text\x1a', 'text'],
    ['with a character cut after one of its two bytes', '\x1a caf\xc3', 'text'],
    ['with a character cut after two of its three bytes', '\x1a 5 \xe2\x82', 'text'],
    ['with a character cut after three of its four bytes', '\x1a :) \xf0\x9f\x98', 'text'],
    ['with a character broken in the middle', '\x1a caf\xc3 au lait', 'blob'],
    ['with a byte UTF-8 never has', '\x1a caf\xff', 'blob'],
  ] as const)('reads UTF-8 %s', (_, head, kind) => {
    expect(kindByContent(bytes(head), head.length)).toBe(kind)
  })

  test.each([
    ['hello', 10_485_760, 'text'],
    ['hello', 10_485_761, 'blob'],
    ['\x1a', 10_485_760, 'text'],
    ['\x1a', 10_485_761, 'blob'],
    ['', 10_485_760, 'text'],
    ['\x89PNG\r\n\x1a\n', 10_485_761, 'image'],
  ] as const)('takes %j at the head of %i bytes for %s', (head, size, kind) => {
    expect(kindByContent(bytes(head), size)).toBe(kind)
  })
})

describe('contentTypeOf', () => {
  test.each([
    ['page.html', undefined, 'text/html; charset=utf-8'],
    ['notes.txt', '\0', 'text/plain; charset=utf-8'],
    ['data.json', undefined, 'application/json'],
    ['photo.jpg', '\x89PNG\r\n\x1a\n', 'image/jpeg'],
    ['README', 'hello', 'text/plain; charset=utf-8'],
    ['README', '', 'text/plain; charset=utf-8'],
    ['README', undefined, 'application/octet-stream'],
    ['x.unheard-of', '\x89PNG\r\n\x1a\n', 'image/png'],
    ['x.bin', 'RIFF\x24\0\0\0WAVEfmt ', 'audio/wav'],
    ['x.bin', '\0', 'application/octet-stream'],
    ['x.bin', undefined, 'application/octet-stream'],
  ])('serves %j with the head %j as %s', (name, head, contentType) => {
    expect(contentTypeOf(name, head === undefined ? undefined : bytes(head))).toBe(contentType)
  })
})

function pairs(extensionsByKind: Record<string, string>): [extension: string, kind: string][] {
  return Object.entries(extensionsByKind).flatMap(([kind, extensions]) =>
    extensions.split(/\s+/).map((extension): [string, string] => [extension, kind]),
  )
}

function bytes(latin1: string): Uint8Array {
  return Uint8Array.from(latin1, (character) => character.charCodeAt(0))
}
