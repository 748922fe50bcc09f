import { expect, test } from 'bun:test'
import type { Command, CommandId, PaletteEntry } from '../../commands/command.ts'
import type { TextKey } from '../../i18n/i18n.ts'
import type { FoundEntry } from '../../server/queries/search.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import type { PaletteOption } from './palette.ts'

const location = new URL('http://server/files/')
Object.assign(globalThis, {
  window: Object.assign(new EventTarget(), { location }),
  history: { replaceState() {} },
  addEventListener() {},
})
const { commandsMatching, entriesMatching } = await import('./palette.ts')
const { arrange } = await import('./lines.ts')

const workspace = {} as Workspace
const command = (id: CommandId, label: TextKey, isOffered = true): Command => ({
  id,
  label,
  icon: 'search',
  title: () => 'Undo rename of report.txt',
  when: () => isOffered,
  run() {},
})

const commands = [
  command('copy', 'change.copyTo'),
  command('rename', 'change.rename'),
  command('palette', 'search.palette'),
  command('new-folder', 'change.newFolder'),
  command('new-file', 'change.newFile', false),
]
const found = (typed: string, recent: string[] = []) =>
  commandsMatching(typed, workspace, commands, recent).map(({ id }) => id)

test('with nothing typed all commands that are offered are listed, those that were used last first', () => {
  expect(found('')).toEqual(['copy', 'rename', 'new-folder'])
  expect(found('', ['new-folder', 'rename', 'new-file'])).toEqual(['new-folder', 'rename', 'copy'])
})

test('a closer match comes before a recent one', () => {
  expect(found('fol', ['copy'])).toEqual(['new-folder'])
  expect(found('e', ['rename'])).toEqual(['rename', 'copy', 'new-folder'])
  expect(found('co', ['new-folder'])).toEqual(['copy'])
})

test('a name of a file in a title is no command', () => {
  expect(found('report.txt')).toEqual([])
})

test('pages are found by their own and by their English words, users only once something is typed', () => {
  const entry = (label: string, group: PaletteEntry['group'], key?: TextKey): PaletteEntry => ({
    id: label,
    group,
    label,
    icon: 'user',
    run() {},
    ...(key && { key }),
  })
  const entries = [entry('Profil', 'settings', 'settings.profile.title'), entry('Pauline', 'users')]
  const labels = (typed: string) => entriesMatching(typed, entries).map(({ label }) => label)
  expect(labels('')).toEqual(['Profil'])
  expect(labels('profile sett')).toEqual(['Profil'])
  expect(labels('p')).toEqual(['Profil', 'Pauline'])
  expect(labels('paul')).toEqual(['Pauline'])
})

test('commands stand above files where the text is in them, and below where only its letters are', () => {
  const option = (id: string, isClose: boolean) =>
    ({ id, group: 'commands', icon: 'search', label: id, closes: 'before', isClose, run() {} }) as const
  const found = [{ path: '/a.txt', name: 'a.txt' }] as unknown as FoundEntry[]
  const search = option('search-for', true)
  const keys = (options: PaletteOption[], entries: FoundEntry[], withCommands: boolean) =>
    arrange({ id: '', options: [...options, search], found: entries, isDone: true, withCommands }).lines.map(
      ({ key }) => key,
    )
  expect(keys([option('rename', true)], found, true)).toEqual(['rename', 'search-for', '/a.txt'])
  expect(keys([option('rename', false)], found, true)).toEqual(['/a.txt', 'rename', 'search-for'])
  expect(keys([option('rename', false)], [], true)).toEqual(['rename', 'search-for'])
  expect(keys([option('rename', true)], found, false)).toEqual(['/a.txt', 'rename', 'search-for'])
  expect(keys([option('rename', false)], [], false)).toEqual([])
})
