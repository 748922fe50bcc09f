import { expect, mock, test } from 'bun:test'
import { useState } from 'react'
import { act, fireEvent, render, screen, within } from '../../component-dom.ts'
import '../../i18n/i18n.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { nothing } from '../../workspace/selection.ts'
import { FileGrid, type FileGridProps } from './FileGrid.tsx'

const entryOf = (name: string, isDir = false): Entry => ({
  path: `/${name}`,
  name,
  size: 3,
  extension: '',
  modified: '2026-01-01T00:00:00Z',
  mode: 0o644,
  isDir,
  isSymlink: false,
  type: isDir ? '' : 'text',
})

const entries = [entryOf('Box', true), ...['a', 'b', 'c', 'd'].map((name) => entryOf(name))]

/** The grid with the selection kept as the folder view keeps it. */
function Folder(props: Partial<FileGridProps>) {
  const [selection, setSelection] = useState(nothing)
  return (
    <FileGrid
      label="Files"
      entries={entries}
      viewMode="list"
      selection={selection}
      onSelect={setSelection}
      onOpen={() => {}}
      {...props}
    />
  )
}

const row = (name: string) => screen.getByRole('row', { name })
const rows = () => screen.getAllByRole('row').filter((each) => each.hasAttribute('aria-selected'))
const selected = () =>
  rows()
    .filter((each) => each.getAttribute('aria-selected') === 'true')
    .map((each) => each.getAttribute('aria-label'))
const tabStops = () => rows().flatMap((each) => (each.tabIndex === 0 ? [each.getAttribute('aria-label')] : []))
const focus = (name: string) => act(() => row(name).focus())
const press = (key: string, held: object = {}) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key, ...held })

test('a click selects one row, Ctrl adds and removes, Shift selects the range', () => {
  render(<Folder />)
  fireEvent.click(row('b'))
  expect(selected()).toEqual(['b'])
  fireEvent.click(row('d'), { ctrlKey: true })
  expect(selected()).toEqual(['b', 'd'])
  fireEvent.click(row('b'), { ctrlKey: true })
  expect(selected()).toEqual(['d'])
  fireEvent.click(row('a'))
  fireEvent.click(row('c'), { shiftKey: true })
  expect(selected()).toEqual(['a', 'b', 'c'])
  fireEvent.click(row('Box'), { shiftKey: true })
  expect(selected()).toEqual(['Box', 'a'])
})

test('the checkbox of a row, and every click while several are selected, toggle that row alone', () => {
  const { rerender } = render(<Folder />)
  fireEvent.click(within(row('a')).getByRole('checkbox', { name: 'Select a' }))
  fireEvent.click(within(row('c')).getByRole('checkbox', { name: 'Select c' }))
  expect(selected()).toEqual(['a', 'c'])
  rerender(<Folder isSelectingMany />)
  fireEvent.click(row('d'))
  fireEvent.click(row('a'))
  expect(selected()).toEqual(['c', 'd'])
})

test('Ctrl and an arrow move the focus alone, Space toggles, Shift extends, letters find', () => {
  render(<Folder />)
  fireEvent.click(row('a'))
  focus('a')
  press('ArrowDown', { ctrlKey: true })
  expect(document.activeElement).toBe(row('b'))
  expect(selected()).toEqual(['a'])
  press('ArrowDown', { ctrlKey: true })
  press(' ')
  expect(selected()).toEqual(['a', 'c'])
  press('ArrowDown', { shiftKey: true })
  expect(selected()).toEqual(['c', 'd'])
  press('Home', { shiftKey: true })
  expect(selected()).toEqual(['Box', 'a', 'b', 'c'])
  press('d')
  expect(document.activeElement).toBe(row('d'))
})

test('a double click and Enter open, a click with a key held between two others does not', () => {
  const onOpen = mock((_: Entry) => {})
  render(<Folder onOpen={onOpen} />)
  fireEvent.click(row('b'))
  fireEvent.click(row('b'), { ctrlKey: true })
  fireEvent.click(row('b'))
  expect(onOpen).not.toHaveBeenCalled()
  fireEvent.click(row('b'), { detail: 2 })
  focus('Box')
  press('Enter')
  expect(onOpen.mock.calls.map(([entry]) => entry.name)).toEqual(['b', 'Box'])
})

test('two clicks between which a key was pressed, or the focus was elsewhere, are no double click', () => {
  const onOpen = mock((_: Entry) => {})
  render(<Folder onOpen={onOpen} />)
  focus('b')
  fireEvent.click(row('b'))
  press('Escape')
  fireEvent.click(row('b'))
  act(() => row('b').blur())
  fireEvent.click(row('b'))
  expect(onOpen).not.toHaveBeenCalled()
  fireEvent.click(row('b'))
  expect(onOpen).toHaveBeenCalledTimes(1)
})

test('the last of three clicks lands in the folder that two of them opened, and is no first click of two there', () => {
  const onOpen = mock((_: Entry) => {})
  render(<Folder onOpen={onOpen} />)
  fireEvent.click(row('Box'), { detail: 1 })
  fireEvent.click(row('Box'), { detail: 2 })
  fireEvent.click(row('a'), { detail: 3 })
  expect(selected()).toEqual(['a'])
  fireEvent.click(row('a'), { detail: 1 })
  expect(onOpen.mock.calls.map(([entry]) => entry.name)).toEqual(['Box'])
  fireEvent.click(row('a'), { detail: 2 })
  expect(onOpen.mock.calls.map(([entry]) => entry.name)).toEqual(['Box', 'a'])
})

test('two quick double clicks open a folder, and what has come to its place', () => {
  const onOpen = mock((_: Entry) => {})
  render(<Folder onOpen={onOpen} />)
  fireEvent.click(row('Box'), { detail: 1 })
  fireEvent.click(row('Box'), { detail: 2 })
  // Some systems do not count beyond three.
  fireEvent.click(row('a'), { detail: 3 })
  fireEvent.click(row('a'), { detail: 3 })
  expect(onOpen.mock.calls.map(([entry]) => entry.name)).toEqual(['Box', 'a'])
})

test('the focus that the Tab key has led out of the page stays there when the rows are drawn again', () => {
  const { rerender } = render(<Folder />)
  row('Box').focus()
  fireEvent.keyDown(row('Box'), { key: 'Tab' })
  row('Box').blur()
  rerender(<Folder entries={[...entries]} />)
  expect(document.activeElement).toBe(document.body)
})

test('one row is the tab stop, also after the row with the focus has gone', () => {
  const { rerender } = render(<Folder />)
  expect(tabStops()).toEqual(['Box'])
  fireEvent.click(row('c'))
  focus('c')
  expect(tabStops()).toEqual(['c'])
  rerender(<Folder entries={entries.filter(({ name }) => name !== 'c')} />)
  expect(tabStops()).toEqual(['d'])
  expect(document.activeElement).toBe(row('d'))
  rerender(<Folder entries={entries.slice(0, 1)} />)
  expect(tabStops()).toEqual(['Box'])
})

test('the menu of a row selects it, and that of free space selects nothing', () => {
  const onMenu = mock((_: Entry | null) => {})
  render(<Folder onMenu={onMenu} />)
  fireEvent.contextMenu(row('b'))
  expect(selected()).toEqual(['b'])
  fireEvent.click(row('c'), { ctrlKey: true })
  fireEvent.contextMenu(row('c'))
  expect(selected()).toEqual(['b', 'c'])
  fireEvent.contextMenu(screen.getByRole('grid', { name: 'Files' }))
  expect(selected()).toEqual([])
  expect(onMenu.mock.calls.map(([entry]) => entry?.name)).toEqual(['b', 'c', undefined])
})

test('of 20,000 rows a part is drawn, with the place of each told', () => {
  render(<Folder entries={Array.from({ length: 20_000 }, (_, index) => entryOf(`${index}`))} />)
  expect(rows().length).toBeGreaterThan(10)
  expect(rows().length).toBeLessThan(200)
  expect(screen.getByRole('grid', { name: 'Files' }).getAttribute('aria-rowcount')).toBe('20001')
  expect(row('7').getAttribute('aria-rowindex')).toBe('9')
})
