import { afterAll, expect, test } from 'bun:test'
import type { Actor } from '../access/actor.ts'
import { scopeOf } from '../access/scope.ts'
import { rootPath } from '../storage/path.ts'
import { makeHandle, removeFolders } from '../storage/testing/disk.fixture.ts'
import { subtitleFinder } from './find.ts'

const actor = { rules: [], user: { hideDotfiles: false } } as unknown as Actor
const scope = scopeOf(actor, (await makeHandle()).storage)
afterAll(removeFolders)
const file = (name: string) => ({ name, kind: 'file' })

// A film 'a' and the subtitles of ten thousand films whose names begin with it: all of them for each would be millions.
test('subtitleFinder finds at most 100 subtitles of a film, and only those that begin with its name', async () => {
  const names = Array.from({ length: 10_000 }, (_, at) => file(`a${at}.srt`))
  const of = await subtitleFinder(scope, rootPath, names, new AbortController().signal)
  expect(of('a.mp4')).toHaveLength(100)
  expect(of('a7777.mp4')).toEqual(['/a7777.srt'])
})
