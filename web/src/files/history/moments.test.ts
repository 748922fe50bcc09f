import { expect, test } from 'bun:test'
import '../../i18n/i18n.ts'
import type { Moment } from '../../server/queries/timeline.ts'
import { byDay, entryOf, folderStopsOf, type Stop, stopsOf, textOf } from './moments.ts'

const moment = (part: Partial<Moment>): Moment => ({
  ...{ kind: 'version', at: 0, isDir: false, modified: '2026-11-17T10:00:00Z', type: 'text', canRestore: true },
  ...part,
})
const day = (date: number, hour: number): number => new Date(2026, 10, date, hour).getTime()

test('every state of a file is one stop, also where the server knows no past of the present', () => {
  const stops = stopsOf([moment({ kind: 'now', at: 9 }), moment({ past: 'k.1', at: 5, size: 3 })])
  expect(stops.map(({ key, at, isNow, size }) => ({ key, at, isNow, size }))).toEqual([
    { key: 'now 0', at: 9, isNow: true, size: undefined },
    { key: 'k.1', at: 5, isNow: false, size: 3 },
  ])
})

test('states of one day stand together, and keep the number that the slider knows them by', () => {
  const stops = [day(17, 12), day(17, 1), day(15, 23)].map((at): Stop => ({ key: `${at}`, at, isNow: false, text: '' }))
  expect(byDay(stops).map(({ key, stops }) => [key, stops.map(({ index }) => index)])).toEqual([
    ['2026-11-17', [0, 1]],
    ['2026-11-15', [2]],
  ])
})

test('a folder has the present and each time of the server, and a snapshot has its name', () => {
  const snapshots = [moment({ kind: 'snapshot', at: 50_000, label: 'daily', past: 's.1.daily', isDir: true })]
  const stops = folderStopsOf([90_000, 50_000, 50_000, 10_000], snapshots, 100_000)
  expect(stops.map(({ at, isNow }) => [at, isNow])).toEqual([
    [100_000, true],
    [90_000, false],
    [50_000, false],
    [10_000, false],
  ])
  const [, change, snapshot] = stops
  expect(snapshot?.text).not.toBe(change?.text)
})

test('a file of the past can be read, and nothing else', () => {
  expect(entryOf('/a/b.tar.gz', moment({ size: 4 }))).toMatchObject({
    ...{ name: 'b.tar.gz', path: '/a/b.tar.gz', size: 4, extension: '.gz', can: ['see', 'download'] },
  })
})

test('a state of the past says who ended it and when', () => {
  const user = { id: 1, name: 'anna' }
  const ended = moment({ by: 'upload', user, at: day(17, 9), keptAt: day(17, 14) })
  expect(textOf(ended)).toMatch(/^anna uploaded over it, .*2:00:00/)
  expect(textOf({ ...ended, keptAt: day(18, 14) })).toMatch(/^anna uploaded over it, .*18.*2:00:00/)
  expect(textOf(moment({ by: 'outside', at: day(17, 9), keptAt: day(17, 14) }))).toMatch(
    /^Deleted by another program, /,
  )
})
