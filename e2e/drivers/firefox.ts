import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Engine, endProcess } from './engine.ts'
import { type Command, WebDriver } from './webdriver.ts'
import { WebDriverPage } from './webdriver-page.ts'

const preferences = {
  'marionette.port': 0,
  'intl.accept_languages': 'en-US',
  'ui.prefersReducedMotion': 1,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
  'app.update.disabledForTesting': true,
  'toolkit.startup.max_resumed_crashes': -1,
}

/** The Firefox of the system without a window, driven by Marionette, the protocol that it has WebDriver's commands in. */
export async function startFirefox(): Promise<Engine> {
  const profile = await mkdtemp(join(tmpdir(), 'filestead-firefox-'))
  const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`)
  await writeFile(join(profile, 'user.js'), lines.join(''))
  const args = ['--headless', '--marionette', '--remote-allow-system-access', '--no-remote', '--profile', profile]
  const browser = spawn('/usr/bin/firefox-esr', [...args, '--width', '1440', '--height', '900', 'about:blank'], {
    stdio: 'ignore',
    env: { ...process.env, HOME: profile },
  })
  const stop = async () => {
    await endProcess(browser)
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const port = await portIn(profile, () => browser.exitCode === null)
    return { open: () => openPage(port), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Firefox takes a free port, and writes its number into the profile. */
async function portIn(profile: string, isRunning: () => boolean): Promise<number> {
  const deadline = Date.now() + 30_000
  while (Date.now() < deadline && isRunning()) {
    const port = Number(await readFile(join(profile, 'MarionetteActivePort'), 'utf8').catch(() => ''))
    if (port > 0) return port
    await wait(50)
  }
  throw new Error('Firefox did not become ready')
}

const names: Record<Command, string> = {
  navigate: 'WebDriver:Navigate',
  execute: 'WebDriver:ExecuteScript',
  actions: 'WebDriver:PerformActions',
  find: 'WebDriver:FindElement',
  'send-keys': 'WebDriver:ElementSendKeys',
  screenshot: 'WebDriver:TakeScreenshot',
}

/** Runs with the rights of the browser itself, when a page is closed: the next one finds nothing in any storage. */
const forget = `
  const [done] = [...arguments].slice(-1)
  Services.clearData.deleteData(Ci.nsIClearDataService.CLEAR_ALL, { onDataDeleted: () => done(null) })`

async function openPage(port: number): ReturnType<Engine['open']> {
  const socket = connect(port, '127.0.0.1')
  const send = speakMarionette(socket)
  await send('WebDriver:NewSession', {})
  const driver = new WebDriver(async (command, parameters) => {
    const answer = await send<{ value: unknown }>(names[command], parameters)
    return answer.value as never
  })
  const close = async () => {
    await send('WebDriver:Navigate', { url: 'about:blank' })
    await send('Marionette:SetContext', { value: 'chrome' })
    await send('WebDriver:ExecuteAsyncScript', { script: forget, args: [] })
    await send('WebDriver:DeleteSession', {})
    socket.end()
    await once(socket, 'close')
  }
  return { page: new WebDriverPage(driver), close }
}

type Answer = [type: 1, id: number, error: { error: string; message: string } | null, result: unknown]

/** Messages are JSON after their length in bytes and a colon. The first one is a greeting. */
function speakMarionette(socket: Socket) {
  const waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>()
  let received: Buffer = Buffer.alloc(0)
  let lastId = 0
  socket.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes])
    for (;;) {
      const colon = received.indexOf(':')
      const end = colon + 1 + Number(received.subarray(0, Math.max(colon, 0)))
      if (colon === -1 || received.length < end) return
      const message: unknown = JSON.parse(String(received.subarray(colon + 1, end)))
      received = received.subarray(end)
      if (Array.isArray(message)) waiting.get(message[1])?.resolve(message as Answer)
    }
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('Firefox has closed the connection'))
  })

  return async <Result>(name: string, parameters: object): Promise<Result> => {
    lastId += 1
    const id = lastId
    const text = JSON.stringify([0, id, name, parameters])
    const answer = new Promise<Answer>((resolve, reject) => waiting.set(id, { resolve, reject }))
    socket.write(`${Buffer.byteLength(text)}:${text}`)
    const [, , error, result] = await answer
    waiting.delete(id)
    if (error !== null) throw new Error(`Firefox answered "${error.error}" to ${name}: ${error.message}`)
    return result as Result
  }
}
