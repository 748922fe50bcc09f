import { afterAll, beforeEach, expect, test } from 'bun:test'
import type { Grant, GrantRequest, Mount, User } from '@filestead/contract'
import { QueryClientProvider } from '@tanstack/react-query'
import { act, fireEvent, render, screen } from '../../component-dom.ts'
import '../../i18n/i18n.ts'
import { DialogStack } from '../../dialogs/DialogStack.tsx'
import { cache } from '../../server/queries/cache.ts'
import { endScope } from '../../state/session-scope.ts'
import { GrantDialog } from './GrantDialog.tsx'
import type { RightsData } from './rights-data.ts'

const user = (id: number, username: string, scope: string): User => ({ id, username, scope }) as User
const chief = user(1, 'chief', '/')
const anna = user(2, 'anna', '/users/anna')
const mounts: Mount[] = [
  {
    ...{ id: 1, name: 'Files', path: '/', base: '/', isHome: true, isAway: false, readOnly: false },
    ...{ hasTrash: true, hasVersions: true },
  },
]
const data: RightsData = { users: [chief, anna], groups: [], mounts, self: chief }

let stored: Grant[] = []
let refusal: string | null = null
const sent: { method: string; body: unknown }[] = []

/** Answers as the routes of grants do. */
async function answerOf(url: string, { method = 'GET', body }: RequestInit): Promise<Response> {
  if (method === 'GET') return Response.json(url.includes('/grants') ? stored : [])
  sent.push({ method, body: body == null ? null : JSON.parse(String(body)) })
  if (refusal !== null) return Response.json({ code: 'invalid', message: refusal }, { status: 400 })
  return method === 'DELETE'
    ? new Response(null, { status: 204 })
    : Response.json({ id: 9, name: '', ...(JSON.parse(String(body)) as GrantRequest) })
}

const realFetch = globalThis.fetch
afterAll(() => {
  globalThis.fetch = realFetch
})

let answers: unknown[] = []

/** What was asked for has come, and is shown. */
const settled = () =>
  act(async () => {
    do await Bun.sleep(1)
    while (cache().isFetching() > 0)
  })

async function open(question: Partial<Parameters<typeof GrantDialog>[0]>) {
  const answer = (value: unknown) => answers.push(value)
  await act(async () => {
    render(
      <QueryClientProvider client={cache()}>
        <DialogStack />
        <GrantDialog data={data} {...question} answer={answer} />
      </QueryClientProvider>,
    )
  })
  await settled()
}

const choose = (name: string) => act(async () => void fireEvent.click(screen.getByRole('radio', { name })))
async function press(name: string) {
  await act(async () => void fireEvent.click(screen.getByRole('button', { name })))
  await settled()
}
const said = () => screen.queryAllByRole('status').map(({ textContent }) => textContent)

beforeEach(() => {
  endScope('cut-off')
  globalThis.fetch = Object.assign((url: string, init: RequestInit = {}) => answerOf(String(url), init), {
    preconnect: () => {},
  }) as typeof fetch
  stored = []
  refusal = null
  sent.length = 0
  answers = []
})

const grant = (subject: string, rights: Grant['rights']): Grant => ({
  ...{ id: 5, subject, name: subject, mount: 1, folder: '/private', rights },
})

test('a change that takes the sight of the administrator is told before it is sent', async () => {
  const everybody = grant('everybody', ['see'])
  stored = [everybody]
  await open({ grant: everybody })
  expect(said().join()).not.toContain('do not see this folder')
  await choose('Nothing')
  expect(said().join()).toContain('you do not see this folder any more')
  expect(sent).toEqual([])
})

test('those who lose rights by a grant for a deeper folder are named', async () => {
  await open({
    place: { mount: 1, folder: '/users/anna/letters' },
    subject: { subject: 'everybody', name: 'everybody' },
  })
  await choose('Work')
  expect(said().join()).toContain('2 people, chief among them')
  await choose('Everything')
  expect(said().join()).not.toContain('chief')
})

test('a grant is sent with the rights that others need, and the dialog answers', async () => {
  await open({ place: { mount: 1, folder: '/box' }, subject: { subject: 'user:2', name: 'anna' } })
  await choose('Custom')
  await act(async () => void fireEvent.click(screen.getByRole('checkbox', { name: 'Download' })))
  await act(async () => void fireEvent.click(screen.getByRole('checkbox', { name: 'Delete' })))
  await press('Save')
  const body = { subject: 'user:2', mount: 1, folder: '/box', rights: ['see', 'delete'] }
  expect(sent).toEqual([{ method: 'POST', body }])
  expect(answers).toEqual([true])
})

test('a grant that is there is changed by its id, wherever its folder is by now', async () => {
  const everybody = grant('everybody', ['see'])
  stored = [everybody]
  await open({ grant: everybody })
  await choose('Everything')
  await press('Save')
  expect(sent).toEqual([
    { method: 'PUT', body: { rights: ['see', 'download', 'create', 'change', 'delete', 'share'] } },
  ])
})

test('a refusal is shown in the dialog, which stays', async () => {
  refusal = 'a file has no rights of its own'
  await open({ place: { mount: 1, folder: '/box' }, subject: { subject: 'guest', name: 'guest' } })
  expect(said().join()).toContain('without signing in')
  await press('Save')
  expect(screen.getByRole('alert').textContent).toBe('a file has no rights of its own')
  expect(answers).toEqual([])
})

test('removing asks only where the administrator would lose sight', async () => {
  const own = grant('user:1', ['see'])
  stored = [own, { ...grant('everybody', []), id: 6, folder: '/private' }]
  await open({ grant: own })
  await press('Remove')
  expect(screen.getByRole('alertdialog').textContent).toContain('you do not see this folder')
  expect(sent).toEqual([])
})
