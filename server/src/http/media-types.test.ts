import { describe, expect, test } from 'bun:test'
import { extensionsByMediaType, mediaTypeByExtension, mediaTypeOf } from './media-types.ts'

describe('mediaTypeOf', () => {
  test.each([
    ['photo.jpg', 'image/jpeg'],
    ['drawing.svg', 'image/svg+xml'],
    ['photo.webp', 'image/webp'],
    ['photo.heic', 'image/heic'],
    ['favicon.ico', 'image/vnd.microsoft.icon'],
    ['film.mp4', 'video/mp4'],
    ['film.webm', 'video/webm'],
    ['film.mkv', 'video/matroska'],
    ['camera.mts', 'video/mp2t'],
    ['song.mp3', 'audio/mpeg'],
    ['song.opus', 'audio/ogg'],
    ['song.m4a', 'audio/mp4'],
    ['song.mid', 'audio/midi'],
    ['page.html', 'text/html'],
    ['script.js', 'text/javascript'],
    ['module.ts', 'text/plain'],
    ['readme.md', 'text/markdown'],
    ['data.json', 'application/json'],
    ['data.yml', 'application/yaml'],
    ['paper.pdf', 'application/pdf'],
    ['archive.zip', 'application/zip'],
    ['package.rpm', 'application/x-rpm'],
    ['module.wasm', 'application/wasm'],
    ['font.woff2', 'font/woff2'],
    ['letter.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ])('knows %j as %j', (name, mediaType) => {
    expect(mediaTypeOf(name)).toBe(mediaType)
  })

  test.each([
    ['PHOTO.JpG', 'image/jpeg'],
    ['backup.tar.gz', 'application/gzip'],
    ['.bashrc', 'text/plain'],
    ['.json', 'application/json'],
    ['x.c++', 'text/plain'],
    ['Ünïcode 名.PNG', 'image/png'],
  ])('goes by the last dot, whatever the case: %j is %j', (name, mediaType) => {
    expect(mediaTypeOf(name)).toBe(mediaType)
  })

  test.each(['', '.', 'jpg', 'Makefile', 'name.', 'name.jpg.', 'x.unheard-of', 'x.constructor', 'x. jpg'])(
    'does not know %j',
    (name) => {
      expect(mediaTypeOf(name)).toBeUndefined()
    },
  )
})

describe('the table', () => {
  test('gives every extension one media type', () => {
    const extensions = Object.values(extensionsByMediaType).flatMap((group) => group.trim().split(/\s+/))
    const repeated = extensions.filter((extension, at) => extensions.indexOf(extension) !== at)
    expect(repeated).toEqual([])
    expect(mediaTypeByExtension.size).toBe(extensions.length)
  })

  test('is written in lower case, without dots', () => {
    const malformed = [...mediaTypeByExtension].filter(
      ([extension, mediaType]) => !/^[a-z0-9_+-]+$/.test(extension) || !/^[a-z]+\/[a-z0-9.+-]+$/.test(mediaType),
    )
    expect(malformed).toEqual([])
  })
})
