import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import sharp from 'sharp'
import { statusOf } from './answers.ts'
import { payloadOf, signInAsFileBrowser, startServerWithClients, userChange } from './file-browser-client.ts'
import { password } from './server.ts'

const { server, ann } = await startServerWithClients()
afterAll(() => server.stop())

describe('A session in a File Browser client', () => {
  test('is in the token, which the client reads and renews', async () => {
    const payload = () => payloadOf(ann.token)
    expect(payload().user).toMatchObject({ viewMode: 'mosaic', locale: 'en', hideDotfiles: false, singleClick: false })
    expect(Object.keys(payload().user)).toEqual(expect.arrayContaining(['id', 'perm', 'commands', 'lockPassword']))
    expect(payload().exp).toBeGreaterThan(Date.now() / 1000)
    const before = ann.token
    await ann.renew()
    expect(ann.token.split('.')).toHaveLength(3)
    expect(await statusOf(ann.ask('/api/resources/'))).toBe(200)
    // A request that was on its way with the old token is still answered.
    expect(await statusOf(ann.ask('/api/resources/', { headers: { 'X-Auth': before } }))).toBe(200)
  })

  test('is renewed when an answer asks for it, by several requests at once, and then asks no more', async () => {
    await server.addUser('renewer')
    const renewer = await signInAsFileBrowser(server.url, 'renewer', password)
    const { user } = payloadOf(renewer.token)
    const hint = async () => (await renewer.ask('/api/resources/')).headers.get('x-renew-token')
    expect(await hint()).toBeNull()
    server.clock.now += 1
    const change = (which: string, data: object, current = '') =>
      renewer.ask(`/api/users/${user.id}`, { method: 'PUT', body: userChange([which], { ...user, ...data }, current) })
    expect(await statusOf(change('locale', { locale: 'de' }))).toBe(200)
    expect(await hint()).toBe('true')
    await Promise.all([renewer.renew(), renewer.renew(), renewer.renew()])
    expect(await hint()).toBeNull()
    expect(payloadOf(renewer.token).user).toMatchObject({ id: user.id, locale: 'de' })
    // A change of the own password keeps the session.
    server.clock.now += 1
    expect(await statusOf(change('password', { password: 'quite another password' }, password))).toBe(200)
    expect(await hint()).toBe('true')
    await renewer.renew()
    expect(await hint()).toBeNull()
  })

  test('ends with its account, without a request to renew', async () => {
    await server.addUser('leaver')
    const leaver = await signInAsFileBrowser(server.url, 'leaver', password)
    const { user } = payloadOf(leaver.token)
    // So late that every answer asks to renew: the client would do that first, and fail.
    server.clock.now += 3700
    expect((await leaver.ask('/api/resources/')).headers.get('x-renew-token')).toBe('true')
    const body = JSON.stringify({ current_password: password })
    const removed = await leaver.ask(`/api/users/${user.id}`, { method: 'DELETE', body })
    expect([removed.status, removed.headers.get('x-renew-token')]).toEqual([200, 'false'])
    expect(await statusOf(leaver.ask('/api/resources/'))).toBe(401)
    server.clock.now -= 3700
  })

  test('that is invalid answers 401, and wrong credentials answer 403', async () => {
    expect(await statusOf(ann.ask('/api/resources/', { headers: { 'X-Auth': 'a.b.c', cookie: '' } }))).toBe(401)
    await expect(signInAsFileBrowser(server.url, 'ann', 'wrong')).rejects.toThrow('403')
    await expect(signInAsFileBrowser(server.url, '', '')).rejects.toThrow('403')
  })

  test('starts on a page that carries the settings', async () => {
    const page = await (await fetch(`${server.url}/files/`)).text()
    const settings = JSON.parse(/window\.FileBrowser = (\{.*?\});?\s*<\/script>/s.exec(page)?.[1] ?? '{}')
    expect(settings).toMatchObject({ BaseURL: '', StaticURL: '/static', AuthMethod: 'json', LoginPage: true })
    expect(settings.TusSettings).toEqual({ chunkSize: 10_485_760, retryCount: 5 })
    const flags = ['DisableExternal', 'DisableUsedPercentage', 'EnableExec', 'EnableThumbs', 'HideLoginButton']
    for (const flag of [...flags, 'NoAuth', 'ReCaptcha', 'ResizePreview', 'Signup'])
      expect(settings[flag]).toBeBoolean()
    for (const text of ['Color', 'LogoutPage', 'Name', 'Theme', 'Version']) expect(settings[text]).toBeString()
    expect(await statusOf(fetch(`${server.url}${settings.StaticURL}/img/logo.svg`))).toBe(200)
  })
})

describe('Requests of the browser with the cookie', () => {
  test('download files, ranges and archives of several', async () => {
    server.put({ 'raw/a,b c.txt': 'comma', 'raw/d.txt': 'D' })
    const file = await ann.browse('/api/raw/raw/d.txt?')
    expect([file.status, await file.text(), file.headers.get('content-type')]).toEqual([
      200,
      'D',
      'application/octet-stream',
    ])
    const part = await ann.browse('/api/raw/raw/a%2Cb%20c.txt?inline=true', { range: 'bytes=1-2' })
    expect([part.status, await part.text()]).toEqual([206, 'om'])
    const files = encodeURIComponent(['/raw/a,b c.txt', '/raw/d.txt'].map(encodeURIComponent).join(','))
    const archive = await ann.browse(`/api/raw/?files=${files}&algo=zip&`)
    const bytes = Buffer.from(await archive.bytes())
    expect([archive.status, bytes.includes('a,b c.txt'), bytes.includes('comma')]).toEqual([200, true, true])
    expect(await statusOf(ann.browse('/api/raw/raw?algo=tarzst&'))).toBe(200)
    expect(await statusOf(fetch(`${server.url}/api/raw/raw/d.txt`))).toBe(401)
  })

  test('load previews and subtitles', async () => {
    const picture = await sharp({ create: { width: 2000, height: 1000, channels: 3, background: '#396' } })
      .jpeg()
      .toBuffer()
    server.put({ 'pictures/p.jpg': picture, 'pictures/film.en.srt': '1\n00:00:01,000 --> 00:00:02,000\nHello\n' })
    for (const [size, width] of [
      ['thumb', 256],
      ['big', 1080],
    ] as const) {
      const response = await ann.browse(`/api/preview/${size}/pictures/p.jpg?inline=true&key=1700000000000`)
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
      expect((await sharp(await response.bytes()).metadata()).width).toBe(width)
    }
    // TIFF is read by the client itself, which asks like any script; an image says what it can show.
    const scan = await sharp({ create: { width: 2000, height: 1000, channels: 3, background: '#c63' } })
      .toColourspace('rgb16')
      .tiff()
      .toBuffer()
    server.put({ 'pictures/scan.tif': scan })
    for (const [accept, format] of [
      ['*/*', 'tiff'],
      ['image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', 'jpeg'],
    ] as const) {
      const response = await ann.browse('/api/preview/big/pictures/scan.tif?inline=true&key=1', { accept })
      expect([response.headers.get('content-type'), response.headers.get('vary')]).toEqual([
        `image/${format}`,
        'Accept',
      ])
      const shown = sharp(await response.bytes())
      expect(await shown.metadata()).toMatchObject({ format, width: 1080, height: 540, channels: 3, depth: 'uchar' })
    }
    const subtitle = await ann.browse('/api/subtitle/pictures/film.en.srt?inline=true')
    expect([subtitle.headers.get('content-type'), (await subtitle.text()).startsWith('WEBVTT')]).toEqual([
      'text/vtt',
      true,
    ])
  })
})

test('A command runs over a WebSocket that the cookie opens', async () => {
  server.put({ 'shell/': '' })
  const said = (command: string, headers: Record<string, string>) =>
    new Promise<string[]>((resolve) => {
      const lines: string[] = []
      const address = `${server.url.replace('http', 'ws')}/api/command/shell/`
      const socket = new WebSocket(address, { headers })
      socket.onopen = () => socket.send(command)
      socket.onmessage = ({ data }) => lines.push(String(data))
      socket.onclose = () => resolve(lines)
    })
  const headers = { cookie: `auth=${ann.token}`, origin: server.url }
  expect(await said('echo one two', headers)).toEqual(['one two'])
  expect(await said('pwd', headers)).toEqual([join(server.root, 'shell')])
  expect(await said('ls', headers)).toEqual(['Command not allowed.'])
  expect(await said('echo no', { origin: server.url })).toEqual([])
  expect(await said('echo no', { ...headers, origin: 'http://elsewhere.example' })).toEqual([])
})
