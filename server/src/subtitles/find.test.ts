import { expect, test } from 'bun:test'
import type { Actor } from '../access/actor.ts'
import { scopeOf } from '../access/scope.ts'
import { rootPath } from '../storage/path.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { subtitleFinder } from './find.ts'

const actor = { rules: [], user: { hideDotfiles: false } } as unknown as Actor
const scope = scopeOf(actor, memoryStorage())
const file = (name: string) => ({ name, kind: 'file' })

// A film 'a' and the subtitles of ten thousand films whose names begin with it: all of them for each would be millions.
test('no film has more subtitles than anybody could choose from', async () => {
  const names = Array.from({ length: 10_000 }, (_, at) => file(`a${at}.srt`))
  const of = await subtitleFinder(scope, rootPath, names, new AbortController().signal)
  expect(of('a.mp4')).toHaveLength(100)
  expect(of('a7777.mp4')).toEqual(['/a7777.srt'])
})
