import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { Settings } from '@filestead/contract'
import { assetRoutes } from './assets.ts'

const folder = mkdtempSync(join(tmpdir(), 'filestead-assets-'))
const script = 'export const words = 1\n'.repeat(200)

beforeAll(() => {
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'assets/plain.js'), script)
  writeFileSync(join(folder, 'assets/copied.js'), script)
  writeFileSync(join(folder, 'assets/copied.js.br'), 'a copy')
  writeFileSync(join(folder, 'assets/small.js'), 'export {}')
  writeFileSync(join(folder, 'assets/picture.png'), script)
})
afterAll(() => rmSync(folder, { recursive: true }))

async function get(file: string, encoding: string): Promise<Response> {
  const [{ answer } = { answer: undefined }] = assetRoutes(folder, async () => Settings.parse({}))
  const request = new Request('http://x/', { headers: { 'accept-encoding': encoding } })
  const context = { match: { rest: `assets/${file}` }, endsWithSlash: false, request }
  return (await answer?.(context as never)) as Response
}

const encodingOf = async (file: string, encoding: string) => (await get(file, encoding)).headers.get('content-encoding')

test('a script without compressed copies is compressed for the client', async () => {
  for (const [encoding, unpack] of [
    ['zstd', zstdDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const answer = await get('plain.js', encoding)
    expect(answer.headers.get('content-encoding')).toBe(encoding)
    const bytes = await answer.bytes()
    expect([bytes.length < 1000, unpack(bytes).toString()]).toEqual([true, script])
  }
})

test('a copy is sent where there is one, and nothing is compressed that gains nothing', async () => {
  expect(await (await get('copied.js', 'gzip, br')).text()).toBe('a copy')
  expect(await encodingOf('copied.js', 'gzip')).toBeNull()
  expect(await encodingOf('plain.js', '')).toBeNull()
  expect(await encodingOf('small.js', 'gzip, zstd')).toBeNull()
  expect(await encodingOf('picture.png', 'gzip, zstd')).toBeNull()
})
