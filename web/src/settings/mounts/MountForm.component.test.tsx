import { afterEach, expect, test } from 'bun:test'
import type { AddressCheck, Mount } from '@filestead/contract'
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '../../component-dom.ts'
import '../../i18n/i18n.ts'
import { cache } from '../../server/queries/cache.ts'
import { MountForm } from './MountForm.tsx'

const key = `SHA256:${'aB3+/'.repeat(8)}aB3`
const realFetch = globalThis.fetch
afterEach(() => {
  globalThis.fetch = realFetch
})

interface Asked {
  method: string
  path: string
  body: Record<string, unknown>
}

/** A server that answers checks of addresses, and takes every mount. */
function stub(check: (folder: string) => AddressCheck): Asked[] {
  const asked: Asked[] = []
  const answer = async (url: string, { method = 'GET', body }: RequestInit = {}) => {
    const path = new URL(url, 'http://127.0.0.1').pathname
    if (method === 'GET') return Response.json([])
    const sent = JSON.parse(String(body))
    asked.push({ method, path, body: sent })
    return Response.json(path.endsWith('/check') ? check(sent.folder) : { id: 2 })
  }
  globalThis.fetch = Object.assign((url: string, init?: RequestInit) => answer(String(url), init), {
    preconnect: () => {},
  }) as unknown as typeof fetch
  return asked
}

const show = (mount: Mount | null = null) =>
  act(
    async () =>
      void render(
        <QueryClientProvider client={cache()}>
          <MountForm mount={mount} />
        </QueryClientProvider>,
      ),
  )
const click = (role: string, name: string) => act(async () => void fireEvent.click(screen.getByRole(role, { name })))
const fill = (name: string, value: string) =>
  act(async () => void fireEvent.change(screen.getByRole('textbox', { name }), { target: { value } }))

const mount = (more: Partial<Mount>): Mount => ({
  ...{ id: 2, name: 'Photos', isHome: false, isAway: false, readOnly: false, hasTrash: true, hasVersions: true },
  ...{ links: 'inside', path: '/Photos', storage: 's3', weaknesses: [] },
  ...more,
})

test('a name is called the first part of addresses only where there are several root folders', async () => {
  stub(() => ({}) as AddressCheck)
  await show(mount({ id: 1, path: '/', isHome: true, storage: 'disk', folder: '/srv' }))
  expect(screen.getByRole('textbox', { name: 'Name' })).toBeTruthy()
  expect(screen.queryByText(/first part of all its addresses/)).toBeNull()
  cleanup()
  await show(mount({ path: '/Photos', storage: 'disk', folder: '/mnt/photos' }))
  expect(screen.getByText('The first part of all its addresses: /files/Photos/')).toBeTruthy()
})

test('a bucket is tested and saved as one address', async () => {
  const asked = stub(() => ({ weaknesses: ['Two writers at once are not noticed.'] }))
  await show()
  await click('radio', 'Bucket (S3)')
  expect(screen.queryByRole('textbox', { name: 'At most (% of the disk)' })).toBeNull()
  expect(screen.queryByRole('combobox', { name: 'Snapshots' })).toBeNull()
  expect(screen.queryByRole('combobox', { name: 'Symbolic links' })).toBeNull()
  await click('button', 'Test connection')
  expect(screen.getByText('Enter the name of the bucket')).toBeTruthy()
  expect(asked).toEqual([])

  await fill('Server address', 'minio.example:9000')
  await fill('Bucket', 'photos')
  await fill('Folder in the bucket', 'a b/c')
  await fill('Name of the keys', 'minio')
  await click('button', 'Test connection')
  const folder = 's3+https://minio.example:9000/photos/a%20b/c?keys=minio'
  expect(asked).toEqual([{ method: 'POST', path: '/api/mounts/check', body: { folder } }])
  expect(screen.getByText('The connection works.')).toBeTruthy()
  expect(screen.getByRole('note').textContent).toContain('Two writers at once are not noticed.')

  // What was found is not said of another address.
  await fill('Folder in the bucket', 'c')
  expect(screen.queryByText('The connection works.')).toBeNull()
  await click('button', 'Save')
  expect(asked.at(-1)?.body).toMatchObject({
    name: 'c',
    folder: 's3+https://minio.example:9000/photos/c?keys=minio',
  })
})

test('the key of a server is shown, accepted, and tested again', async () => {
  const asked = stub((folder) =>
    folder.includes('hostKey=')
      ? { weaknesses: [] }
      : { refusal: 'The key is not confirmed yet', hostKey: key, weaknesses: [] },
  )
  await show()
  await click('radio', 'SFTP server')
  await fill('Server', 'nas.example')
  await fill('User', 'anna')
  await click('button', 'Test connection')
  expect(screen.getByText(key)).toBeTruthy()
  expect(screen.queryByText('The key is not confirmed yet')).toBeNull()
  await click('button', 'Accept this key')
  expect(asked.map(({ body }) => body.folder)).toEqual([
    'sftp://anna@nas.example',
    `sftp://anna@nas.example?hostKey=${key}`,
  ])
  expect(screen.getByText('The connection works.')).toBeTruthy()
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Host key' }).value).toBe(key)
})

test('a server that shows another key than before is a danger, and says so', async () => {
  stub(() => ({ refusal: 'The key has changed', hostKey: key, weaknesses: [] }))
  const other = `SHA256:${'x'.repeat(43)}`
  await show(mount({ storage: 'sftp', folder: `sftp://anna@nas.example?hostKey=${other}` }))
  await click('button', 'Test connection')
  expect(screen.getByRole('alert').textContent).toContain('The key has changed')
  expect(screen.getByText(key)).toBeTruthy()
})

test('a refusal is shown in the words of the server', async () => {
  stub(() => ({ refusal: 'There is no bucket photos', weaknesses: [] }))
  await show(mount({ folder: 's3://photos' }))
  await click('button', 'Test connection')
  expect(screen.getByRole('alert').textContent).toContain('There is no bucket photos')
})

test('an address that was not changed is sent as it was written', async () => {
  const asked = stub(() => ({ weaknesses: [] }))
  const folder = 's3+https://minio.example/photos/?region=us-east-1&style=path'
  await show(mount({ folder }))
  await fill('Name', 'Pictures')
  await click('button', 'Save')
  expect(asked).toMatchObject([{ method: 'PUT', path: '/api/mounts/2', body: { name: 'Pictures', folder } }])
})

test('a root folder that is away says why', async () => {
  stub(() => ({ weaknesses: [] }))
  await show(mount({ folder: 's3://photos', isAway: true, problem: 'The keys were refused.' }))
  expect(screen.getByRole('note').textContent).toContain('The keys were refused.')
})
