import { afterEach, beforeEach, expect, test } from 'bun:test'
import { cleanup, fireEvent, render, screen, within } from '../../component-dom.ts'
import '../../i18n/i18n.ts'
import { ActivityCentre } from '../../activity/ActivityCentre.tsx'
import { DialogStack } from '../../dialogs/DialogStack.tsx'
import { endScope } from '../../state/session-scope.ts'
import { useLiveStatus } from '../../ui/live-status.ts'
import { uploads } from './engine.ts'
import { listUploads } from './upload-activity.ts'
import { FakeRequest, forgetRequests, job, request, size, until } from './uploads.test-setup.ts'

/** What is done when nothing has happened for a while. */
let rests: (() => void)[] = []
const setInterval = globalThis.setInterval

Object.assign(globalThis, {
  setInterval: (run: () => void, time: number) => (time === 8000 ? rests.push(run) : setInterval(run, time)),
  XMLHttpRequest: FakeRequest,
  fetch: Object.assign(async () => Response.json([]), { preconnect: () => {} }),
})

const LiveStatus = () => <output aria-label="Live">{useLiveStatus()}</output>

const said = () => screen.getByRole('status', { name: 'Live' }).textContent
const heading = () => screen.queryByRole('heading', { level: 2 })?.textContent
const row = (name: string) => screen.getByRole('listitem', { name })
const stateOf = (name: string) => screen.queryByRole('listitem', { name })?.getAttribute('data-state')
const button = (name: string) => screen.getByRole('button', { name })
const click = (name: string) => fireEvent.click(button(name))

const answer = async (method: string, name: string, ...what: Parameters<FakeRequest['answer']>) =>
  (await request(method, name)).answer(...what)

const all = { 'Upload-Offset': size, 'Upload-Length': size }

beforeEach(() => {
  // Answers come when they come: the tests wait for what is shown, not for React.
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false })
  endScope('cut-off')
  forgetRequests()
  rests = []
  render(<main id="content" tabIndex={-1} />)
  render(<ActivityCentre />)
  render(<DialogStack />)
  render(<LiveStatus />)
  listUploads()
})

afterEach(async () => {
  cleanup()
  // What React has put off ends before the document does.
  await Bun.sleep(20)
})

test('uploads are listed with their states, paused and resumed, and announced', async () => {
  uploads().add([job('a.bin'), job('b.bin')])
  await until(() => screen.queryAllByRole('listitem').length === 2)
  expect([heading(), said()]).toEqual(['Uploading 2 files', 'Uploading 2 files'])
  await answer('POST', 'a.bin', 201)
  await answer('POST', 'b.bin', 403)
  await until(() => stateOf('b.bin') === 'failed')
  expect(stateOf('a.bin')).toBe('uploading')

  click('Pause uploads')
  await until(() => stateOf('a.bin') === 'queued')
  expect(button('Pause uploads').getAttribute('aria-pressed')).toBe('true')
  expect([row('a.bin').textContent?.includes('Paused'), said()]).toEqual([true, 'Paused'])

  click('Pause uploads')
  await answer('HEAD', 'a.bin', 200, all)
  await until(() => heading() === '1 of 2 not uploaded')
  expect(screen.getByRole('heading', { name: /^Uploads finished/ })).toBeTruthy()
  expect([stateOf('a.bin'), said()]).toEqual(['done', 'Uploads finished'])
  expect(button('Show in folder')).toBeTruthy()
})

test('all that failed is retried together, one alone by its own button', async () => {
  uploads().add([job('a.bin'), job('b.bin')])
  for (const name of ['a.bin', 'b.bin']) await answer('POST', name, 403)
  await until(() => heading() === '2 of 2 not uploaded')
  expect(within(row('a.bin')).getByRole('button', { name: 'Retry a.bin' })).toBeTruthy()

  click('Retry all')
  for (const name of ['a.bin', 'b.bin']) await answer('HEAD', name, 200, all)
  await until(() => heading() === 'Uploads finished' && stateOf('b.bin') === 'done')
  expect(screen.queryByRole('button', { name: 'Retry all' })).toBeNull()
})

test('a request that is made again says which try it is, in the row and for all', async () => {
  uploads().add([job('a.bin')])
  await answer('POST', 'a.bin', 500)
  await request('HEAD', 'a.bin')
  await until(() => screen.queryAllByText('Trying again (1 of 5)').length === 2)
  expect(within(row('a.bin')).getByText('Trying again (1 of 5)')).toBeTruthy()
  await answer('HEAD', 'a.bin', 200, all)
  await until(() => heading() === 'Uploads finished')
})

test('one upload is cancelled by its button, and aborting all asks first', async () => {
  uploads().add([job('a.bin'), job('b.bin')])
  for (const name of ['a.bin', 'b.bin']) await answer('POST', name, 201)
  await until(() => screen.queryAllByRole('listitem').length === 2)
  click('Cancel a.bin')
  await answer('DELETE', 'a.bin', 204)
  await until(() => stateOf('a.bin') === 'skipped')

  click('Abort upload')
  await until(() => screen.queryByRole('alertdialog', { name: 'Abort upload' }) !== null)
  const question = within(screen.getByRole('alertdialog'))
  fireEvent.click(question.getByRole('button', { name: 'Abort' }))
  await until(() => heading() === undefined)
  expect(document.activeElement).toBe(screen.getByRole('main'))
  await answer('DELETE', 'b.bin', 204)
})

test('the list is folded and unfolded, folds itself when all has arrived, and is closed', async () => {
  uploads().add([job('a.bin')])
  await answer('POST', 'a.bin', 201)
  await answer('PATCH', 'a.bin', 204, { 'Upload-Offset': size })
  await until(() => heading() === 'Uploads finished')
  const fold = button('Toggle file upload list')
  expect(fold.getAttribute('aria-expanded')).toBe('true')
  fireEvent.click(fold)
  expect([fold.getAttribute('aria-expanded'), screen.queryAllByRole('listitem').length]).toEqual(['false', 0])
  fireEvent.click(fold)
  expect(fold.getAttribute('aria-expanded')).toBe('true')
  // By itself, after a while without pointer or keyboard.
  fold.blur()
  for (const rest of rests) rest()
  await until(() => fold.getAttribute('aria-expanded') === 'false')
  uploads().add([job('b.bin')])
  await until(() => fold.getAttribute('aria-expanded') === 'true')
  await answer('POST', 'b.bin', 201)
  await answer('PATCH', 'b.bin', 204, { 'Upload-Offset': size })
  await until(() => heading() === 'Uploads finished')
  click('Close uploads')
  await until(() => heading() === undefined)
})
