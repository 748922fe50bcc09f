import { createCipheriv } from 'node:crypto'
import type { Trash } from '@filestead/contract'
import { type Person, sumOf } from './nodes-person.ts'
import { pieceType } from './tus.ts'

/** By path: the sum of a file, or that it is a folder, as `treeIn` has it. */
export type Tree = Readonly<Record<string, string>>

/** A chain of changes in two folders that nobody else touches. */
export interface Story {
  readonly person: Person
  /** The same folder in each of two mounts. */
  readonly folders: readonly [string, string]
  /** A tree of many files, which is never changed. */
  readonly many: { readonly path: string; readonly tree: Tree }
  readonly tree: Tree
  /** A name that nothing had before. */
  name(): string
}

/** One change. Answers with the trees that may be there now: one, or more where the answer to the request did not come. */
export type Step = (story: Story) => Promise<readonly Tree[]>

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path === `${folder}/` || path.startsWith(`${folder}/`)
const without = (tree: Tree, path: string): Tree =>
  Object.fromEntries(Object.entries(tree).filter(([each]) => !isWithin(each, path)))
const copied = (tree: Tree, source: Tree, from: string, to: string): Tree => ({
  ...tree,
  ...Object.fromEntries(
    Object.entries(source)
      .filter(([path]) => isWithin(path, from))
      .map(([path, sum]) => [to + path.slice(from.length), sum]),
  ),
})
const moved = (tree: Tree, from: string, to: string): Tree => copied(without(tree, from), tree, from, to)

const filesIn = (tree: Tree): string[] => Object.keys(tree).filter((path) => !path.endsWith('/'))
const foldersIn = ({ tree, folders }: Story): string[] => [
  ...folders,
  ...Object.keys(tree).flatMap((path) => (path.endsWith('/') ? [path.slice(0, -1)] : [])),
]
function oneOf<T>({ person }: Story, list: readonly T[]): T {
  const one = list[person.random(list.length)]
  if (one === undefined) throw new Error('There is none to choose')
  return one
}

/** Nothing in it repeats, so that a piece at the wrong place is seen. */
function contentFor({ person: { random } }: Story, most: number): Buffer {
  const key = Buffer.from(Array.from({ length: 16 }, () => random(256)))
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(1 + random(most)))
}

const resource = (path: string): string => `/api/resources${path}`

async function unexpected({ person }: Story, what: string, answer: Response): Promise<readonly Tree[]> {
  person.report(`${what} answered ${answer.status}: ${await answer.text()}`)
  return []
}

const post: Step = async (story) => {
  const path = `${oneOf(story, foldersIn(story))}/${story.name()}.bin`
  const content = contentFor(story, 200_000)
  const after = { ...story.tree, [path]: sumOf(content) }
  const answer = await story.person.attempt(resource(path), { method: 'POST', body: content })
  if (answer === undefined) return [story.tree, after]
  return answer.ok ? [after] : unexpected(story, `POST ${path}`, answer)
}

const batch: Step = async (story) => {
  const folder = oneOf(story, foldersIn(story))
  const files = [1, 2].map(() => [`${folder}/${story.name()}.txt`, contentFor(story, 3000).toString('hex')] as const)
  const body = files.map(([path, text]) => `${JSON.stringify({ path, length: text.length })}\n${text}`).join('')
  const answer = await story.person.attempt('/api/uploads', { method: 'POST', body })
  const lines = (await answer?.text().catch(() => undefined))?.split('\n').filter(Boolean)
  const [one, two] = files.map(([path, text]) => ({ [path]: sumOf(text) }))
  const all = { ...story.tree, ...one, ...two }
  if (lines?.length === 2) return lines.some((line) => line.includes('"code"')) ? [] : [all]
  // Each file for itself: whole, or not at all.
  return [story.tree, { ...story.tree, ...one }, { ...story.tree, ...two }, all]
}

/** As a client of tus does it: after a break it asks how far the upload came, and goes on there. */
const upload: Step = async (story) => {
  const { person } = story
  const path = `${oneOf(story, foldersIn(story))}/${story.name()}.bin`
  const content = contentFor(story, 900_000)
  const after = { ...story.tree, [path]: sumOf(content) }
  const at = `/api/tus${path}`
  let offset: number | undefined
  for (;;) {
    if (offset === undefined) {
      const head = await person.read(at, { method: 'HEAD' })
      if (head.status === 200) offset = Number(head.headers.get('upload-offset'))
      else if ((await person.read(resource(path))).status === 200) return [after]
      else {
        const headers = { 'upload-length': String(content.length) }
        const made = await person.attempt(at, { method: 'POST', headers })
        if (made?.status === 201) offset = 0
        continue
      }
    }
    if (offset === content.length) return [after]
    const end = Math.min(content.length, offset + 50_000 + person.random(200_000))
    const headers = { 'content-type': pieceType, 'upload-offset': String(offset) }
    const answer = await person.attempt(at, { method: 'PATCH', body: content.subarray(offset, end), headers })
    // Still written by the server that has just died, or by a request that nobody waits for.
    const isRetried = answer === undefined || [404, 409, 423].includes(answer.status)
    if (!isRetried && answer.status !== 204) return unexpected(story, `PATCH ${path}`, answer)
    offset = isRetried ? undefined : end
  }
}

const save: Step = async (story) => {
  const { person, tree } = story
  const [path] = filesIn(tree).slice(person.random(filesIn(tree).length))
  if (path === undefined) return [tree]
  const etag = (await person.read(resource(path))).headers.get('etag') ?? ''
  const content = contentFor(story, 100_000)
  const after = { ...tree, [path]: sumOf(content) }
  const answer = await person.attempt(resource(path), { method: 'PUT', body: content, headers: { 'if-match': etag } })
  // nginx sends it again when the first server dies, which may have saved it.
  if (answer === undefined || answer.status === 412) return [tree, after]
  return answer.ok ? [after] : unexpected(story, `PUT ${path}`, answer)
}

/** Entries of the story, but for its own two folders. */
const entriesIn = ({ tree }: Story): string[] => Object.keys(tree).map((path) => path.replace(/\/$/, ''))

const rename: Step = async (story) => {
  const { person, tree } = story
  const [from] = entriesIn(story).slice(person.random(entriesIn(story).length))
  if (from === undefined) return [tree]
  const to = `${from.slice(0, from.lastIndexOf('/'))}/${story.name()}`
  const after = moved(tree, from, to)
  const query = `?action=rename&destination=${encodeURIComponent(to)}`
  const answer = await person.attempt(resource(from) + query, { method: 'PATCH' })
  if (answer === undefined) return [tree, after]
  return answer.ok ? [after] : unexpected(story, `PATCH ${from}`, answer)
}

const makeFolder: Step = async (story) => {
  const path = `${oneOf(story, foldersIn(story))}/${story.name()}`
  const after = { ...story.tree, [`${path}/`]: 'folder' }
  const answer = await story.person.attempt(`${resource(path)}/`, { method: 'POST' })
  if (answer === undefined) return [story.tree, after]
  return answer.ok ? [after] : unexpected(story, `POST ${path}/`, answer)
}

/** Into the trash, and mostly out of it again. */
const remove: Step = async (story) => {
  const { person, tree } = story
  const [path] = entriesIn(story).slice(person.random(entriesIn(story).length))
  if (path === undefined) return [tree]
  const after = without(tree, path)
  const answer = await person.attempt(resource(path), { method: 'DELETE' })
  // nginx sends it again when the first server dies, which may have removed it.
  if (answer === undefined || answer.status === 404) return [tree, after]
  if (!answer.ok) return unexpected(story, `DELETE ${path}`, answer)
  if (person.random(3) === 0) return [after]
  const { items } = (await (await person.read('/api/trash')).json()) as Trash
  const item = items.find((each) => each.path === path)
  if (item === undefined) {
    person.report(`${path} was removed and is not in the trash`)
    return [after]
  }
  return ended({ ...story, tree: after }, { kind: 'restore', items: [{ past: item.past, from: path, to: path }] }, tree)
}

/** Runs a job that has to end well, and sometimes takes it back. */
async function ended(story: Story, request: object, after: Tree): Promise<readonly Tree[]> {
  const { person, tree } = story
  const job = await person.job(request)
  if (job.state !== 'done') {
    person.report(`${JSON.stringify(request)} ended as ${JSON.stringify(job)}`)
    return []
  }
  if (person.random(3) > 0) return [after]
  const undone = await person.job({ kind: 'undo', operation: job.id })
  if (undone.state !== 'done') {
    person.report(`the undo of ${JSON.stringify(request)} ended as ${JSON.stringify(undone)}`)
    return []
  }
  return [tree]
}

const copy: Step = (story) => {
  const { person, tree, many } = story
  const [from] = person.random(2) === 0 ? [many.path] : entriesIn(story).slice(person.random(entriesIn(story).length))
  if (from === undefined) return Promise.resolve([tree])
  const to = `${oneOf(story, story.folders)}/${story.name()}`
  return ended(story, { kind: 'copy', items: [{ from, to }] }, copied(tree, { ...tree, ...many.tree }, from, to))
}

const move: Step = (story) => {
  const { person, tree, folders } = story
  const [from] = entriesIn(story).slice(person.random(entriesIn(story).length))
  if (from === undefined) return Promise.resolve([tree])
  const to = `${isWithin(from, folders[0]) ? folders[1] : folders[0]}/${story.name()}`
  return ended(story, { kind: 'move', items: [{ from, to }] }, moved(tree, from, to))
}

const removeMany: Step = (story) => {
  const { person, tree } = story
  const [path] = entriesIn(story).slice(person.random(entriesIn(story).length))
  if (path === undefined) return Promise.resolve([tree])
  return ended(story, { kind: 'delete', items: [path] }, without(tree, path))
}

/** Packs the tree of many files, and unpacks it into a new folder, or one that is there. */
const pack: Step = async (story) => {
  const { person, many, folders } = story
  const archive = `${folders[1]}/${story.name()}.zip`
  const packed = await person.job({ kind: 'compress', items: [many.path], to: archive, format: 'zip' })
  if (packed.state !== 'done') {
    person.report(`the packing of ${archive} ended as ${JSON.stringify(packed)}`)
    return []
  }
  const bytes = Buffer.from(await (await person.read(`/api/raw${archive}`)).arrayBuffer())
  const tree = { ...story.tree, [archive]: sumOf(bytes) }
  const isThere = person.random(2) === 0
  const to = isThere ? oneOf(story, foldersIn(story)) : `${folders[0]}/${story.name()}`
  const name = many.path.slice(many.path.lastIndexOf('/') + 1)
  // A folder that is there may have one of this name from before.
  if (`${to}/${name}/` in tree) return [tree]
  const unpacked = { ...tree, ...(isThere ? {} : { [`${to}/`]: 'folder' }) }
  const after = copied(unpacked, many.tree, many.path, `${to}/${name}`)
  return ended({ ...story, tree }, { kind: 'extract', from: archive, to }, after)
}

const checksum: Step = async (story) => {
  const { person, many, folders, tree } = story
  const to = `${folders[0]}/${story.name()}.sha256`
  const job = await person.job({ kind: 'checksum', items: [many.path], to, algorithm: 'sha256' })
  const text = await (await person.read(`/api/raw${to}`)).text()
  const sums = text.split('\n').flatMap((line) => line.split(' ')[0] || [])
  const wanted = filesIn(many.tree).map((path) => many.tree[path] ?? '')
  if (job.state !== 'done' || sums.toSorted().join() !== wanted.toSorted().join())
    person.report(`the checksums in ${to} are wrong, or the job ended as ${JSON.stringify(job)}`)
  return [{ ...tree, [to]: sumOf(text) }]
}

/** Changes nothing: what is there is listed and sent as it is. */
const look: Step = async ({ person, tree, folders }) => {
  const folder = folders[person.random(2)] ?? ''
  const listing = (await (await person.read(resource(folder))).json()) as { items?: { name: string }[] }
  const inside = entriesOf(tree, folder)
  const shown = listing.items?.map(({ name }) => name).toSorted() ?? []
  if (shown.join() !== inside.join()) person.report(`${folder} lists ${shown} instead of ${inside}`)
  const [path] = filesIn(tree).slice(person.random(filesIn(tree).length))
  if (path === undefined) return [tree]
  const content = await (await person.read(`/api/raw${path}`)).arrayBuffer().catch(() => undefined)
  if (content !== undefined && sumOf(Buffer.from(content)) !== tree[path])
    person.report(`${path} was sent with other bytes`)
  return [tree]
}

const entriesOf = (tree: Tree, folder: string): string[] =>
  [
    ...new Set(
      Object.keys(tree)
        .filter((path) => path.startsWith(`${folder}/`))
        .map((path) => path.slice(folder.length + 1).split('/')[0] ?? ''),
    ),
  ].toSorted()

/** What a story begins with. */
export const firstSteps: readonly Step[] = [upload, batch]

export const steps: readonly Step[] = [
  ...[upload, upload, upload, post, batch, save, save, rename, makeFolder, remove, remove],
  ...[copy, copy, move, move, removeMany, pack, checksum, look, look],
]
