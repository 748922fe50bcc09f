import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { canMount, mountHung } from '../src/storage/testing/hung-mount.fixture.ts'
import { noteDraft } from './database.ts'
import { openEvents, openFolder } from './event-stream.ts'
import { startProgram } from './process.ts'

test.if(canMount)('files beside a hanging mount are served', async () => {
  await using program = await startProgram()
  for (const name of ['nas', 'fast']) mkdirSync(join(program.root, name))
  writeFileSync(join(program.root, 'fast/a.txt'), 'a')
  const hung = mountHung(join(program.root, 'nas'))
  // Containers may forbid it.
  if (hung === undefined) return
  try {
    // Right after a quick answer of the healthy one, which holds the folder that both are in.
    expect((await program.ask('/api/raw/fast/a.txt')).status).toBe(200)
    let ended = 0
    const hanging = ['/api/resources/', '/api/resources/nas', '/api/usage/nas', '/api/raw/nas/a.txt'].map(
      async (path) => {
        const { status } = await program.ask(path)
        ended += 1
        return status
      },
    )
    for (let count = 0; count < 3; count += 1) {
      expect((await fetch(`${program.url}/health`)).status).toBe(200)
      expect((await program.ask('/api/raw/fast/a.txt')).status).toBe(200)
      expect((await program.ask('/api/resources/fast')).status).toBe(200)
    }
    expect(ended).toBe(0)
    hung.abort()
    const [, ...ofMount] = await Promise.all(hanging)
    expect(ofMount).toEqual([503, 503, 503])
    expect((await program.ask('/api/resources/')).status).toBe(200)
  } finally {
    Bun.spawnSync(['umount', '-l', join(program.root, 'nas')])
  }
})

test.if(canMount)(
  'listings of a large folder that hang midway leave room for those of others when their clients have left',
  async () => {
    await using program = await startProgram()
    const names = Array.from({ length: 4000 }, (_, index) => `file number ${index}`)
    for (const folder of ['large', 'other']) {
      mkdirSync(join(program.root, folder))
      for (const name of names) writeFileSync(join(program.root, folder, name), '')
    }
    mkdirSync(join(program.root, 'large/nas'))
    const hung = mountHung(join(program.root, 'large/nas'))
    if (hung === undefined) return
    try {
      for (let count = 0; count < 2; count += 1) {
        const client = new AbortController()
        const listing = program.ask('/api/resources/large', { signal: client.signal }).catch(() => undefined)
        await Bun.sleep(1000)
        client.abort()
        expect(await listing).toBeUndefined()
      }
      const other = await program.ask('/api/resources/other')
      expect([other.status, ((await other.json()) as { items: unknown[] }).items.length]).toEqual([200, names.length])
    } finally {
      hung.giveUp()
    }
  },
)

const canStop = canMount && Bun.which('rclone') !== null

test.if(canStop)(
  'while the program behind a mount is stopped, a download that was begun from it stops nothing else',
  async () => {
    await using program = await startProgram()
    const [kept, nas] = [join(program.root, '../kept'), join(program.root, 'nas')]
    for (const folder of [kept, nas]) mkdirSync(folder)
    const bytes = Buffer.alloc(64 << 20, 'a line of a large file\n')
    writeFileSync(join(kept, 'large.bin'), bytes)
    writeFileSync(join(program.root, 'beside.txt'), 'beside')
    const rclone = Bun.spawn(['rclone', 'mount', kept, nas, '--vfs-cache-mode', 'off'], { stderr: 'ignore' })
    try {
      for (let tries = 0; tries < 200 && !existsSync(join(nas, 'large.bin')); tries += 1) await Bun.sleep(25)
      // The table of mounts is read again after a second.
      await Bun.sleep(1100)
      const answer = await program.ask('/api/raw/nas/large.bin')
      const reader = answer.body?.getReader()
      let taken = (await reader?.read())?.value?.length ?? 0
      rclone.kill('SIGSTOP')
      const rest = (async () => {
        for (let next = await reader?.read(); next && !next.done; next = await reader?.read())
          taken += next.value.length
      })()
      for (let count = 0; count < 5; count += 1) {
        expect((await program.ask('/api/raw/beside.txt')).status).toBe(200)
        expect((await fetch(`${program.url}/health`)).status).toBe(200)
        await Bun.sleep(20)
      }
      rclone.kill('SIGCONT')
      await rest
      expect(taken).toBe(bytes.length)
      // A part keeps its place in the whole.
      const part = await program.ask('/api/raw/nas/large.bin', { headers: { range: 'bytes=1000-1999' } })
      expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 1000-1999/${bytes.length}`])
      expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(1000, 2000))).toBe(true)
    } finally {
      rclone.kill('SIGCONT')
      Bun.spawnSync(['umount', '-l', nas])
      rclone.kill()
      await rclone.exited
    }
  },
  120_000,
)

test.if(canMount)(
  'while listings of a folder hang that holds a hung mount, files in it are changed and downloaded',
  async () => {
    await using program = await startProgram()
    for (const name of ['nas', 'fast']) mkdirSync(join(program.root, name))
    for (const name of ['a.txt', 'b.txt']) writeFileSync(join(program.root, 'fast', name), 'a')
    const hung = mountHung(join(program.root, 'nas'))
    if (hung === undefined) return
    try {
      const hanging = [1, 2, 3].map(() => program.ask('/api/resources/').catch(() => undefined))
      const ask = async (method: string, path: string, body?: string) => {
        const response = await program.ask(path, { method, ...(body !== undefined && { body }) })
        await response.arrayBuffer()
        return response.status
      }
      expect(await ask('GET', '/api/usage/')).toBe(200)
      expect(await ask('GET', '/api/raw/fast/?algo=zip')).toBe(200)
      expect(await ask('POST', '/api/resources/fast/new.txt', 'new')).toBe(200)
      expect(await ask('DELETE', '/api/resources/fast/b.txt')).toBe(204)
      expect(await ask('PATCH', '/api/resources/fast/a.txt?action=rename&destination=%2Ffast%2Fc.txt')).toBe(200)
      hung.giveUp()
      await Promise.all(hanging)
    } finally {
      hung.giveUp()
    }
  },
)

test.if(canMount)('what a dead server left on a mount that hangs keeps no server from starting', async () => {
  await using program = await startProgram()
  for (const name of ['nas', 'fast']) mkdirSync(join(program.root, name))
  await program.terminate()
  const nas = join(program.root, 'nas')
  await noteDraft(program.database, join(nas, '.filestead-draft-x'))
  await noteDraft(program.database, join(nas, '.filestead-draft-y'), join(nas, 'half.txt'))
  const hung = mountHung(nas)
  if (hung === undefined) return
  try {
    await program.start()
    expect((await program.ask('/api/resources/fast')).status).toBe(200)
    const save = await program.ask('/api/resources/fast/new.txt', { method: 'POST', body: 'new' })
    expect(save.status).toBe(200)
    expect(await (await program.ask('/api/raw/fast/new.txt')).text()).toBe('new')
  } finally {
    hung.giveUp()
  }
})

test.if(canMount)(
  'a stream of events with a folder on a hanging mount begins, and tells of its other folders',
  async () => {
    await using program = await startProgram()
    for (const name of ['nas', 'fast']) mkdirSync(join(program.root, name))
    const hung = mountHung(join(program.root, 'nas'))
    if (hung === undefined) return
    try {
      await using stream = await openEvents(program.ask, openFolder('/nas', '/fast'))
      expect(Object.keys((await stream.until('hello')).folders)).toEqual(['/fast'])
      writeFileSync(join(program.root, 'fast/by-another.txt'), 'x')
      await stream.until('folder', ({ put }) => put.some(({ name }) => name === 'by-another.txt'))
      await program.ask('/api/resources/fast/own.txt', { method: 'POST', body: 'own' })
      await stream.until('folder', ({ put }) => put.some(({ name }) => name === 'own.txt'))
      expect((await fetch(`${program.url}/health`)).status).toBe(200)
    } finally {
      hung.abort()
      Bun.spawnSync(['umount', '-l', join(program.root, 'nas')])
    }
  },
)
