import { beforeEach, expect, mock, spyOn, test } from 'bun:test'
import { act, cleanup, fireEvent, render, screen, within } from '../component-dom.ts'
import '../i18n/i18n.ts'
import { endScope } from '../state/session-scope.ts'
import { createStore } from '../state/store.ts'
import { ActivityCentre, loadTray } from './ActivityCentre.tsx'
import { type Activity, type ActivityStatus, addActivity } from './activities.ts'
import { openTray } from './tray.ts'

const tray = () => screen.queryByRole('region', { name: 'Activity' })
const item = (name: string) => screen.getByRole('listitem', { name })
const click = (name: string) => act(async () => void fireEvent.click(screen.getByRole('button', { name })))

/** Within React's batch, so that the tray shows it afterwards. */
async function add(title: string, more: Partial<Activity> & { progress?: number | null } = {}) {
  const { progress = 0, ...rest } = more
  const status = createStore<ActivityStatus>({ title, text: '0 of 4', progress, state: 'running' })
  const cancel = mock(() => {})
  let takeOut = () => {}
  await act(async () => {
    takeOut = addActivity({ kind: 'delete', status, cancel, ...rest })
  })
  return { status, cancel, takeOut }
}

beforeEach(async () => {
  await loadTray()
  endScope('cut-off')
  render(<main id="content" tabIndex={-1} />)
  await act(async () => void render(<ActivityCentre />))
})

test('the tray is there while something is under way, and shows how far it is', async () => {
  expect(tray()).toBeNull()
  const { status, takeOut } = await add('Deleting 4 items')
  const bar = within(item('Deleting 4 items')).getByRole('progressbar')
  expect([bar.getAttribute('aria-valuenow'), bar.getAttribute('aria-valuetext')]).toEqual(['0', '0 of 4'])

  const text = '3 of 4 · Waiting for the server…'
  await act(async () => status.set({ ...status.get(), text, progress: 0.75, state: 'waiting' }))
  expect([bar.getAttribute('aria-valuenow'), bar.getAttribute('aria-valuetext')]).toEqual(['75', text])
  expect(item('Deleting 4 items').textContent).toContain('Waiting for the server…')

  await act(async () => takeOut())
  expect(tray()).toBeNull()
})

test('where the end is not known there is no bar, and several activities have a row each', async () => {
  await add('Reading the folder…', { kind: 'reading', progress: null })
  await add('Copying 2 items', { kind: 'copy' })
  expect(within(item('Reading the folder…')).queryByRole('progressbar')).toBeNull()
  expect(screen.getAllByRole('listitem').map((each) => each.getAttribute('aria-label'))).toEqual([
    'Reading the folder…',
    'Copying 2 items',
  ])
})

test('an activity is shown or stopped by its buttons, and the keyboard goes on with the files', async () => {
  const show = mock(() => {})
  const { cancel } = await add('Moving 4 items', { kind: 'move', show })
  await click('Show Moving 4 items')
  await click('Stop Moving 4 items')
  expect([show.mock.calls.length, cancel.mock.calls.length]).toEqual([1, 1])
  expect(document.activeElement).toBe(screen.getByRole('main'))

  await add('Copying 2 items', { kind: 'copy' })
  expect(screen.queryByRole('button', { name: 'Show Copying 2 items' })).toBeNull()
})

test('the command that opens the tray sends the keyboard there', async () => {
  await add('Deleting 4 items')
  await act(async () => openTray())
  expect(document.activeElement?.hasAttribute('data-activity-tray')).toBe(true)
})

let isMended = false

function BrokenPanel() {
  if (!isMended) throw new Error('broken')
  return <p>All uploads</p>
}

test('a panel that throws takes nothing else with it, and is tried again', async () => {
  // React tells of it there, too.
  const log = spyOn(console, 'error').mockImplementation(() => {})
  await add('Uploading 2 files', { kind: 'upload', Panel: BrokenPanel })
  expect(screen.getByRole('alert').textContent).toBe('This view stopped working')
  expect(screen.getByRole('main')).toBeTruthy()
  isMended = true
  await click('Try again')
  expect(screen.getByText('All uploads')).toBeTruthy()
  log.mockRestore()
})

test('the tray of one session shows nothing of another', async () => {
  await add('Deleting 4 items')
  cleanup()
  endScope('signed-out')
  await act(async () => void render(<ActivityCentre />))
  expect(tray()).toBeNull()
})
