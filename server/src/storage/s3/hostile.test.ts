import { afterEach, expect, test } from 'bun:test'
import { parsePath as at } from '../path.ts'
import type { RemoteFiles } from '../remote/files.ts'
import { memoryRemoteRecords } from '../testing/remote-records.fixture.ts'
import { refusalOf } from '../testing/subject.fixture.ts'
import { openS3 } from './files.ts'

const endings: (() => unknown)[] = []
afterEach(() => {
  for (const end of endings.splice(0)) end()
})

/** The files of a server that answers like this. */
function filesOf(answer: (url: URL) => Response, limits: { mostNames?: number } = {}): RemoteFiles {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => answer(new URL(request.url)) })
  const endpoint = server.url.origin
  const files = openS3({
    place: { endpoint, bucket: 'bucket', prefix: '', region: 'us-east-1', isPathStyle: true },
    keys: async () => ({ accessKeyId: 'key', secretAccessKey: 'secret' }),
    records: memoryRemoteRecords().drafts,
    tries: 1,
    ...limits,
  })
  endings.push(
    () => files.close(),
    () => server.stop(true),
  )
  return files
}

const listing = (inside: string): Response => new Response(`<ListBucketResult>${inside}</ListBucketResult>`)
const object = (key: string, size = '1'): string => `<Contents><Key>${key}</Key><Size>${size}</Size></Contents>`
async function listed(files: RemoteFiles): Promise<number> {
  let count = 0
  for await (const page of files.listBelow?.(at('/')) ?? []) count += page.length
  return count
}

test.each([200, 500])('an answer that does not end is left, with status %p', async (status) => {
  let sent = 0
  const piece = new Uint8Array(1_048_576).fill(32)
  const endless = () =>
    new ReadableStream({
      pull(controller) {
        sent += 1
        controller.enqueue(piece)
      },
    })
  const files = filesOf(() => new Response(endless(), { status }))
  expect(await refusalOf(listed(files))).toMatchObject({ code: 'unavailable' })
  expect(sent).toBeLessThan(64)
})

test('a listing that leads to itself ends', async () => {
  const next = '<IsTruncated>true</IsTruncated><NextContinuationToken>same</NextContinuationToken>'
  const files = filesOf(() => listing(`${object('a')}${next}`))
  expect(await refusalOf(listed(files))).toMatchObject({ code: 'unavailable' })
})

test.each([
  ['names', (page: number) => object(`a${page}`)],
  ['pages', () => ''],
])('a listing of ever more %s is left, with a sentence', async (_what, inside) => {
  let pages = 0
  const files = filesOf(
    () => {
      pages += 1
      return listing(
        `${inside(pages)}<IsTruncated>true</IsTruncated><NextContinuationToken>${pages}</NextContinuationToken>`,
      )
    },
    { mostNames: 100 },
  )
  expect(await refusalOf(listed(files))).toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('does not end'),
  })
})

test.each(['-1', '1e400', 'many'])('a file of %s bytes is none', async (size) => {
  const files = filesOf(() => listing(object('a', size)))
  expect(await refusalOf(listed(files))).toMatchObject({ code: 'unavailable' })
})

test('what a server writes instead of a word is not told', async () => {
  const told = 'Send your password to mallory'
  const files = filesOf(() => new Response(`<Error><Code>${told}</Code></Error>`))
  expect(String(await refusalOf(listed(files)))).not.toContain(told)
})

test('keys that are no paths below the folder are not shown', async () => {
  const keys = ['../up', 'a/../../up', '/etc/passwd', 'a//b', '.', 'fine']
  const files = filesOf(() => listing(keys.map((key) => object(key)).join('')))
  const paths: string[] = []
  for await (const page of files.listBelow?.(at('/')) ?? []) paths.push(...page.map(({ path }) => path))
  expect(paths).toEqual(['/fine'])
})
