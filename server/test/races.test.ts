import { afterAll, beforeAll, expect, test } from 'bun:test'
import { lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { snapshot } from './disk.ts'
import { type Program, startProgram } from './process.ts'

/**
 * Another process that swaps /swap without a pause between a folder and a link to the folder outside, and /note.txt
 * between a file and a link to a file outside, each in one step, so that there is always one or the other. Now and then
 * it creates them again, since a request may have removed them.
 */
const flipper = `
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { libc, other, SYS, text } from '${join(import.meta.dirname, '../src/storage/linux/libc.ts')}'
const [root, outside, parking] = process.argv.slice(-3)
const attempt = (work) => { try { work() } catch {} }
const exchange = (a, b) => libc.syscall(SYS.renameat2, -100, text(a), -100, other(b), 2)
const linger = () => { for (const end = performance.now() + Math.random() / 20; performance.now() < end; ); }
const [folder, file] = [root + '/swap', root + '/note.txt']
const [folderLink, fileLink] = [parking + '/swap', parking + '/note.txt']

let flips = 0
process.on('SIGTERM', () => { console.log(flips); process.exit() })
for (;;) {
  for (const path of [folder, file, parking]) attempt(() => rmSync(path, { recursive: true, force: true }))
  mkdirSync(parking + '/next/deep', { recursive: true })
  for (const name of ['/a.txt', '/b.txt', '/deep/a.txt']) writeFileSync(parking + '/next' + name, 'inside')
  attempt(() => renameSync(parking + '/next', folder))
  writeFileSync(parking + '/next-file', 'inside')
  attempt(() => renameSync(parking + '/next-file', file))
  symlinkSync(outside, folderLink)
  symlinkSync(outside + '/a.txt', fileLink)
  for (let i = 0; i < 600; i += 1) {
    flips += exchange(folder, folderLink) === 0
    exchange(file, fileLink)
    linger()
  }
  await Bun.sleep(1)
}`

let program: Program
let outside: string
beforeAll(async () => {
  program = await startProgram()
  outside = join(dirname(program.root), 'outside')
  mkdirSync(join(outside, 'deep'), { recursive: true })
  for (const name of ['a.txt', 'b.txt', 'secret.txt', 'deep/a.txt']) writeFileSync(join(outside, name), 'OUTSIDE')
  writeFileSync(join(program.root, 'mine.txt'), 'inside')
}, 120_000)
afterAll(() => program?.end())

const reads = [
  'GET /api/raw/swap/a.txt',
  'GET /api/raw/swap/deep/a.txt',
  'GET /api/raw/swap/secret.txt',
  'GET /api/raw/note.txt?inline=true',
  'GET /api/resources/swap',
  'GET /api/resources/swap/a.txt',
  'GET /api/resources/note.txt',
  'GET /api/resources/note.txt?checksum=md5',
  'GET /api/resources/?recursive=true',
  'GET /api/raw/swap?algo=tar',
  'GET /api/search/?query=secret',
]
/** Of # every request gets its own number. */
const changes = [
  'PUT /api/resources/swap/a.txt',
  'PUT /api/resources/note.txt',
  'POST /api/resources/swap/new-#.txt',
  'POST /api/resources/swap/b.txt?override=true',
  'POST /api/resources/swap/deep/made-#/for/it.txt',
  'POST /api/resources/swap/folder-#/',
  'PATCH /api/resources/swap/a.txt?action=copy&destination=/copied-#.txt',
  'PATCH /api/resources/swap?action=copy&destination=/copied-#',
  'PATCH /api/resources/note.txt?action=copy&destination=/noted-#.txt',
  'PATCH /api/resources/mine.txt?action=copy&destination=/swap/mine-#.txt',
  'PATCH /api/resources/mine.txt?action=copy&destination=/swap/b.txt&override=true',
  'PATCH /api/resources/mine.txt?action=copy&destination=/note.txt&override=true',
  'PATCH /api/resources/swap/b.txt?action=rename&destination=/taken-#.txt',
  'PATCH /api/resources/swap/deep?action=rename&destination=/taken-#',
  'DELETE /api/resources/swap/a.txt',
  'DELETE /api/resources/swap/deep',
]

test('entries that are swapped with symlinks during a request allow no read outside', async () => {
  const { answers, flips } = await askWhileFlipping(reads, 1500)
  expect(answers.filter(({ body }) => /OUTSIDE|secret/.test(body))).toEqual([])
  // MD5 of the secret.
  expect(
    answers.filter(({ body }) => body.includes(new Bun.CryptoHasher('md5').update('OUTSIDE').digest('hex'))),
  ).toEqual([])
  expectBoth(answers, flips)
}, 120_000)

test('entries that are swapped with symlinks during a request allow no write outside', async () => {
  const before = facts(outside)
  const { answers, flips } = await askWhileFlipping(changes, 2500)
  expect(facts(outside)).toEqual(before)
  const stolen = Object.entries(snapshot(program.root)).filter(
    ([name, content]) => /OUTSIDE/.test(content) || /secret/.test(name),
  )
  expect(stolen).toEqual([])
  expectBoth(answers, flips)
}, 120_000)

interface Answer {
  request: string
  status: number
  body: string
}

/** Sends the requests in turn, several at once, while the names change: for so long, and until they met both states. */
async function askWhileFlipping(requests: string[], milliseconds: number) {
  const parking = join(dirname(program.root), 'parking')
  mkdirSync(parking, { recursive: true })
  const other = Bun.spawn([process.execPath, '-e', flipper, program.root, outside, parking], { stdout: 'pipe' })
  const answers: Answer[] = []
  const start = Date.now()
  const isOver = () => {
    const took = Date.now() - start
    return took > 40_000 || (took > milliseconds && met(answers).every((times) => times > leastMet))
  }
  let count = 0
  const asking = async () => {
    while (!isOver()) {
      const request = (requests[count % requests.length] ?? '').replaceAll('#', String(count))
      count += 1
      const [method = '', path = ''] = request.split(' ')
      const body = method === 'PUT' || method === 'POST' ? 'inside' : undefined
      const answer = await program.ask(path, { method, body, keepalive: true })
      answers.push({ request, status: answer.status, body: await answer.text() })
    }
  }
  try {
    await Promise.all([asking(), asking(), asking(), asking()])
  } finally {
    other.kill('SIGTERM')
  }
  return { answers, flips: Number(await new Response(other.stdout).text()) }
}

const leastMet = 20

/** How many requests met a folder or file, and how many a symlink. */
const met = (answers: Answer[]): number[] => [
  answers.filter(({ status }) => status < 300).length,
  answers.filter(({ status }) => status === 403).length,
]

/** The entries were swapped, requests met both states, and the server logged no unexpected error. */
function expectBoth(answers: Answer[], flips: number): void {
  expect(flips).toBeGreaterThan(50)
  for (const times of met(answers)) expect(times).toBeGreaterThan(leastMet)
  expect(answers.filter(({ status }) => status === 500)).toEqual([])
}

/** Also the time of the last change of each folder: a file that came and went would show in it. */
const facts = (folder: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ '': '', ...snapshot(folder) }).map(([name, content]) => {
      const { ino, ctimeMs } = lstatSync(join(folder, name))
      return [name, `${ino} ${ctimeMs} ${content}`]
    }),
  )
