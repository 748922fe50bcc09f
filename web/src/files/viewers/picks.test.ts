import { beforeEach, expect, test } from 'bun:test'
import type { Entry } from '../../server/queries/resources.ts'
import { endScope } from '../../state/session-scope.ts'
import { only } from '../../workspace/selection.ts'
import { enterFile, enterFolder, picks, revealWhenListed, select, workspace } from '../../workspace/workspace.ts'
import { keepSelection, togglePicked } from './picks.ts'

const names = ['a.jpg', 'b.jpg', 'c.jpg']
const entries = names.map((name) => ({ name, path: `/x/${name}` }) as Entry)
const listing = { folder: '/x', query: null }
const selected = () => [...workspace().selection.names]

function look(index: number) {
  keepSelection('/x')
  enterFile('preview', '/x', entries[index] as Entry)
}

function close(index: number) {
  revealWhenListed('/x', names[index] ?? '')
  enterFolder('/x', entries)
}

beforeEach(() => {
  endScope('signed-out')
  enterFolder('/x', entries)
})

test('a selection of several is there again after a look at one of the files', () => {
  select(only('a.jpg', 'c.jpg'))
  look(1)
  look(2)
  close(2)
  expect(selected()).toEqual(['a.jpg', 'c.jpg'])
})

test('a single selected file gives way to the one that was seen last', () => {
  select(only('a.jpg'))
  look(0)
  look(1)
  close(1)
  expect(selected()).toEqual(['b.jpg'])
})

test('what was picked in the viewer is selected, and nothing else', () => {
  select(only('a.jpg'))
  look(0)
  expect(togglePicked(listing, '/x/b.jpg')).toBe(1)
  expect(togglePicked(listing, '/x/c.jpg')).toBe(2)
  expect(togglePicked(listing, '/x/b.jpg')).toBe(1)
  close(0)
  expect(selected()).toEqual(['c.jpg'])
})

test('it waits for a listing that is read again, and is not taken to another folder or person', () => {
  select(only('a.jpg', 'c.jpg'))
  look(1)
  enterFolder('/x', [])
  enterFolder('/x', entries)
  expect(selected()).toEqual(['a.jpg', 'c.jpg'])

  select(only('a.jpg', 'c.jpg'))
  look(1)
  enterFolder('/y', [])
  expect(selected()).toEqual([])
  expect(picks.get()).toBeNull()

  enterFolder('/x', entries)
  select(only('a.jpg', 'c.jpg'))
  look(1)
  endScope('signed-out')
  enterFolder('/x', entries)
  expect(selected()).toEqual([])
})
