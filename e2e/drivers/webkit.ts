import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../server/test/free-port.ts'
import { type Engine, endProcess } from './engine.ts'
import { type Command, WebDriver } from './webdriver.ts'
import { WebDriverPage } from './webdriver-page.ts'

/** WebKitGTK: its small browser, driven by WebKitWebDriver on a screen in memory. A new browser for each page. */
export async function startWebKit(): Promise<Engine> {
  const home = await mkdtemp(join(tmpdir(), 'filestead-webkit-'))
  const { screen, display } = await startScreen()
  const port = await freePort()
  const driver = spawn('/usr/bin/WebKitWebDriver', [`--port=${port}`], {
    stdio: 'ignore',
    env: {
      ...process.env,
      HOME: home,
      DISPLAY: display,
      LANG: 'C.UTF-8',
      LANGUAGE: 'en_US',
      GDK_BACKEND: 'x11',
      NO_AT_BRIDGE: '1',
      // The sandbox needs rights that a container does not give.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    },
  })
  const stop = async () => {
    await Promise.all([endProcess(driver), endProcess(screen)])
    await rm(home, { recursive: true, force: true })
  }
  const server = `http://127.0.0.1:${port}`
  try {
    await untilReady(server, driver)
  } catch (error) {
    await stop()
    throw error
  }
  return { open: () => openPage(server), stop }
}

const paths: Record<Command, (id: string) => ['GET' | 'POST', string]> = {
  navigate: () => ['POST', '/url'],
  execute: () => ['POST', '/execute/sync'],
  actions: () => ['POST', '/actions'],
  find: () => ['POST', '/element'],
  'send-keys': (id) => ['POST', `/element/${id}/value`],
  screenshot: () => ['GET', '/screenshot'],
}

async function openPage(server: string): ReturnType<Engine['open']> {
  const capabilities = { alwaysMatch: {} }
  const { sessionId } = await request<{ sessionId: string }>('POST', `${server}/session`, { capabilities })
  const session = `${server}/session/${sessionId}`
  await request('POST', `${session}/window/rect`, { x: 0, y: 0, width: 1440, height: 900 })
  const driver = new WebDriver((command, { id = '', ...parameters }) => {
    const [method, path] = paths[command](id)
    return request(method, session + path, parameters)
  })
  return { page: new WebDriverPage(driver), close: async () => void (await request('DELETE', session)) }
}

async function request<Answer>(method: string, url: string, body: object = {}): Promise<Answer> {
  const headers = { 'Content-Type': 'application/json' }
  // A command that the browser does not answer fails its test, whose second try gets a new browser.
  const signal = AbortSignal.timeout(60_000)
  const answer = await fetch(url, { method, headers, signal, body: method === 'POST' ? JSON.stringify(body) : null })
  const { value } = (await answer.json()) as { value: Answer & { error?: string; message?: string } }
  if (!answer.ok) throw new Error(`WebKit answered "${value.error}" to ${method} ${url}: ${value.message}`)
  return value
}

/** The screen chooses a free number and writes it. */
async function startScreen(): Promise<{ screen: ChildProcess; display: string }> {
  const args = ['-displayfd', '1', '-screen', '0', '1440x900x24', '-nolisten', 'tcp']
  const screen = spawn('/usr/bin/Xvfb', args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const [number] = await Promise.race([
    once(screen.stdout, 'data'),
    once(screen, 'exit').then(() => {
      throw new Error('Xvfb ended before it had a screen')
    }),
  ])
  return { screen, display: `:${String(number).trim()}` }
}

async function untilReady(server: string, driver: ChildProcess): Promise<void> {
  const deadline = Date.now() + 30_000
  while (Date.now() < deadline && driver.exitCode === null) {
    const answer = await fetch(`${server}/status`).catch(() => null)
    if (answer?.ok) return
    await wait(50)
  }
  throw new Error('WebKitWebDriver did not become ready')
}
