import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { askAt, launch, run, startProgram, until } from './process.ts'

const scripts = join(import.meta.dirname, '../../scripts')

test('the client with reload has the settings of the running server, and reaches its API', async () => {
  await using program = await startProgram()
  const env = { PORT: String(await freePort()) }
  await using dev = launch([join(scripts, 'dev.mjs'), program.url], { command: 'node', env })
  await until(() => dev.stdout().includes(`http://127.0.0.1:${env.PORT}/`))
  const at = (path: string) => askAt(`http://127.0.0.1:${env.PORT}`, path)
  // The name of a file that is shown must not make a module of its address.
  for (const path of ['/', '/files/a/b.ts', '/login']) {
    const page = await (await at(path)).text()
    expect(page).toContain('<script>window.FileBrowser = {"AuthMethod":"json"')
    expect(page).toContain('src="/src/main.tsx"')
  }
  expect(await (await at('/health')).json()).toEqual({ status: 'OK' })
  expect((await at('/api/resources/')).status).toBe(401)
})

test('the client with reload names a server that does not answer', async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  const { code, stderr } = await run([join(scripts, 'dev.mjs'), url], { command: 'node' })
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `No answer from ${url}. Start a server first (npm start), or name another one: npm run dev -- URL\n`,
  })
})

test('a part of the tests is named by a path', async () => {
  const { code, stderr } = await run([join(scripts, 'unit.mjs'), 'contract/src/paths.test.ts'], { command: 'node' })
  expect(code).toBe(0)
  expect(stderr).toContain('across 1 file')
})
