import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { FolderResource, Resource } from '@filestead/contract'
import { jsonIn } from './answers.ts'
import { fillFolder } from './disk.ts'
import { startServer } from './server.ts'

const server = await startServer()
const deny = (path: string) => ({ regex: false, allow: false, path, regexp: null })
await server.addUser('alice')
await server.addUser('guarded', { rules: [deny('/media/film.de.srt'), deny('/media/Subs')], hideDotfiles: true })
const [alice, guarded] = [await server.as('alice'), await server.as('guarded')]
afterAll(() => server.stop())

server.put({
  'media/film.mp4': '',
  'media/film.srt': '',
  'media/film.de.srt': '',
  'media/film.VTT': '',
  'media/film.nfo': '',
  'media/other.mkv': '',
  'media/other.ass': '',
  'media/lonely.mp4': '',
  'media/Subs/eng.srt': '',
  'media/Subs/readme.txt': '',
  'media/Subs/film-extra/one.ssa': '',
  'media/Subs/film-extra/deeper/two.srt': '',
  'media/Subs/unrelated/three.srt': '',
  'media/film.srt.d/': '',
})

const listed = async (name: string, ask = alice) =>
  (await jsonIn<FolderResource>(ask('/api/resources/media'))).items.find((item) => item.name === name)?.subtitles
const alone = async (name: string, ask = alice) =>
  (await jsonIn<Resource>(ask(`/api/resources/media/${name}`))).subtitles

test('a video lists the subtitles beside it and those in a folder for subtitles', async () => {
  const expected = [
    '/media/Subs/eng.srt',
    '/media/Subs/film-extra/one.ssa',
    '/media/film.VTT',
    '/media/film.de.srt',
    '/media/film.srt',
  ]
  expect(await listed('film.mp4')).toEqual(expected)
  expect(await alone('film.mp4')).toEqual(expected)
  expect(await listed('other.mkv')).toEqual(['/media/Subs/eng.srt', '/media/other.ass'])
  expect(await alone('lonely.mp4')).toEqual(['/media/Subs/eng.srt'])
})

test.each(['subs', 'SUBTITLES', 'Subtitles'])('a folder named %s is searched for subtitles', async (name) => {
  server.put({ [`${name}-test/a.mp4`]: '', [`${name}-test/${name}/x.srt`]: '' })
  const { items } = await jsonIn<FolderResource>(alice(`/api/resources/${name}-test`))
  expect(items.find((item) => item.name === 'a.mp4')?.subtitles).toEqual([`/${name}-test/${name}/x.srt`])
})

test('other files and videos without subtitles have no list of subtitles', async () => {
  server.put({ 'plain/a.mp4': '', 'plain/b.mp3': '', 'plain/b.srt': '' })
  const { items } = await jsonIn<FolderResource>(alice('/api/resources/plain'))
  for (const item of items) expect(item).not.toHaveProperty('subtitles')
})

test('denied subtitles are not listed', async () => {
  const expected = ['/media/film.VTT', '/media/film.srt']
  expect(await listed('film.mp4', guarded)).toEqual(expected)
  expect(await alone('film.mp4', guarded)).toEqual(expected)
})

test('names with pattern characters are matched literally', async () => {
  server.put({ 'odd/a[1] (x).mp4': '', 'odd/a[1] (x).srt': '', 'odd/a1 x.srt': '' })
  const { items } = await jsonIn<FolderResource>(alice('/api/resources/odd'))
  expect(items.find((item) => item.name.endsWith('.mp4'))?.subtitles).toEqual(['/odd/a[1] (x).srt'])
})

test('thousands of videos each find their own among thousands of subtitles', async () => {
  const numbers = Array.from({ length: 2000 }, (_, index) => 10_000 + index)
  fillFolder(
    join(server.root, 'many'),
    numbers.flatMap((number) => [`film-${number}.mp4`, `film-${number}.en.srt`]),
  )
  server.put({ 'many/Subs/all.srt': '' })
  const { items } = await jsonIn<FolderResource>(alice('/api/resources/many'))
  const videos = items.filter(({ type }) => type === 'video')
  expect(videos.length).toBe(2000)
  const wrong = videos.filter(({ name, subtitles }) => {
    const own = `/many/${name.replace('.mp4', '.en.srt')}`
    return JSON.stringify(subtitles) !== JSON.stringify(['/many/Subs/all.srt', own])
  })
  expect(wrong).toEqual([])
})
