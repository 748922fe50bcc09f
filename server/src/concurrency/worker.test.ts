import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const here = join(import.meta.dir, 'worker.ts')

/** Runs a program that may open 96 files, with a worker beside it. */
async function outputOf(program: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'filestead-worker-'))
  try {
    const worker = `import { workerMessages } from ${JSON.stringify(here)}\nself.onmessage = workerMessages((word) => postMessage(word + '!'))`
    writeFileSync(join(folder, 'worker.ts'), worker)
    writeFileSync(join(folder, 'program.ts'), program)
    const run = Bun.spawn(['prlimit', '--nofile=96:96', '--', process.execPath, join(folder, 'program.ts')])
    return (await new Response(run.stdout).text()).trim()
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const start = `
  import { closeSync, openSync, readdirSync } from 'node:fs'
  import { canStartWorker, startWorker } from ${JSON.stringify(here)}
  const opened = []
  try { for (;;) opened.push(openSync('/dev/null', 'r')) } catch {}
  const file = new URL('./worker.ts', import.meta.url)
`

test.if(Bun.which('prlimit') !== null)(
  'a worker is refused while no descriptor is free, and the process goes on',
  async () => {
    const program = `${start}
    let refusal = ''
    try { startWorker(file) } catch (error) { refusal = error.message }
    console.log(canStartWorker(), refusal)
    process.exit()`
    expect(await outputOf(program)).toBe('false Too many files are open')
  },
)

test.if(Bun.which('prlimit') !== null)(
  'a worker that starts with few free descriptors has its own when the call returns',
  async () => {
    const program = `${start}
    for (const descriptor of opened.splice(0, 20)) closeSync(descriptor)
    const worker = startWorker(file)
    try { for (;;) opened.push(openSync('/dev/null', 'r')) } catch {}
    worker.onmessage = ({ data }) => { console.log(data); process.exit() }
    worker.postMessage('hello')`
    expect(await outputOf(program)).toBe('hello!')
  },
)
