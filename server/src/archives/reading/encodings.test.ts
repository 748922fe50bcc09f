import { expect, test } from 'bun:test'
import type { NameEncoding } from '@filestead/contract'
import { readIndex } from './archive.ts'
import { sourceIn, zipOf } from './archives.fixture.ts'
import { decoded, guessEncoding } from './encodings.ts'

/** Bytes of a text, by asking each pair of bytes what it means. */
function encoded(text: string, encoding: NameEncoding): Buffer {
  const bytesOf = new Map<string, number[]>()
  for (let first = 0; first < 256; first += 1) {
    const alone = decoded(Uint8Array.of(first), encoding)
    if (alone !== undefined) bytesOf.set(alone, bytesOf.get(alone) ?? [first])
    if (first < 0x81 || encoding === 'cp437') continue
    for (let second = 0x40; second < 256; second += 1) {
      const pair = decoded(Uint8Array.of(first, second), encoding)
      if (pair !== undefined && [...pair].length === 1) bytesOf.set(pair, bytesOf.get(pair) ?? [first, second])
    }
  }
  return Buffer.from([...text].flatMap((character) => bytesOf.get(character) ?? []))
}

const names: [NameEncoding, string[]][] = [
  ['shift_jis', ['新しいフォルダ/テスト.txt', '写真/東京タワー.jpg', '議事録.doc']],
  ['gbk', ['新建文件夹/说明.txt', '照片/北京.jpg', '会议记录.doc']],
  ['euc-kr', ['새 폴더/문서.txt', '사진/서울.jpg']],
  ['ibm866', ['Новая папка/Документ.txt', 'Фото/Москва.jpg', 'отчёт за год.doc']],
  ['cp437', ['Übersicht/Größe.txt', 'Menü.doc', 'café.txt']],
  ['windows-1252', ['Übersicht/Größe.txt', 'Menü.doc', 'café à la carte.txt']],
]

test.each(names)('names in %s are told from their bytes', (encoding, texts) => {
  const samples = texts.map((text) => encoded(text, encoding))
  expect(samples.map((sample) => decoded(sample, encoding))).toEqual(texts)
  expect(guessEncoding(samples)).toBe(encoding)
})

test.each(names)('one name in %s is read as it was written, or can be', async (encoding, [text = '']) => {
  const source = sourceIn(zipOf([{ name: encoded(text, encoding), content: 'x', flags: 0 }]))
  expect((await readIndex(source, 'zip', { encoding })).at(0).path).toBe(text)
})

test('names of macOS, which are UTF-8 without a mark, need no guess', async () => {
  const index = await readIndex(sourceIn(zipOf([{ name: 'Über/日本.txt', content: 'x', flags: 0 }])), 'zip', {})
  expect([index.at(0).path, index.encoding]).toEqual(['Über/日本.txt', null])
})
