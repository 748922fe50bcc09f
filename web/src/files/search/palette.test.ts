import { expect, test } from 'bun:test'
import type { Command, CommandId } from '../../commands/command.ts'
import type { TextKey } from '../../i18n/i18n.ts'
import type { Workspace } from '../../workspace/workspace.ts'

const location = new URL('http://server/files/')
Object.assign(globalThis, {
  window: Object.assign(new EventTarget(), { location }),
  history: { replaceState() {} },
  addEventListener() {},
})
const { commandsMatching } = await import('./palette.ts')

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
