import { type Pack, pack as packTar } from 'tar-stream'
import type { Scope } from '../access/scope.ts'
import { prefetch } from '../concurrency/prefetch.ts'
import type { OpenFile } from '../storage/port.ts'
import { piecesOf, smallSize, wholeOf } from './content.ts'
import type { LeftOut } from './left-out.ts'
import { isUnavailable, type Member } from './members.ts'

const filesAtOnce = 8

/** Long names and names beyond ASCII go into pax headers. A file has the length that it has when it is opened. */
export async function* tarOf(
  scope: Scope,
  members: AsyncIterable<Member>,
  leftOut: LeftOut,
): AsyncGenerator<Uint8Array> {
  const pack = packTar()
  const filled = fill(pack, scope, members, leftOut).catch((error: unknown) => pack.destroy(error as Error))
  try {
    yield* pack as AsyncIterable<Uint8Array>
  } finally {
    pack.destroy()
    await filled
  }
}

async function fill(pack: Pack, scope: Scope, members: AsyncIterable<Member>, leftOut: LeftOut): Promise<void> {
  for await (const { item, result } of prefetch(members, (member) => smallContent(scope, member), filesAtOnce)) {
    if (result === 'gone') leftOut.add(item.name)
    else if (result !== 'large') await put(pack, item, result.length, [result])
    else if (!(await putLarge(pack, scope, item))) leftOut.add(item.name)
    if (pack.destroying) return
  }
  const last = leftOut.member()
  if (last?.text) await put(pack, last, last.text.length, [last.text])
  pack.finalize()
}

/** False where it cannot be read. */
async function putLarge(pack: Pack, scope: Scope, member: Member): Promise<boolean> {
  const file = await openIfThere(scope, member)
  if (file === undefined) return false
  try {
    await put(pack, member, file.entry.size, piecesOf(file, file.entry.size))
    return true
  } finally {
    file.close()
  }
}

async function put(
  pack: Pack,
  { name, entry }: Member,
  size: number,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  const isFolder = entry.kind === 'folder'
  // The library counts in 32 bits with a sign, and the format knows no time before 1970.
  const mtime = new Date(Math.max(0, Math.min(entry.seconds, 2 ** 31 - 1)) * 1000)
  const header = { name, size, mode: entry.mode & 0o777, mtime, type: isFolder ? 'directory' : 'file' } as const
  const done = Promise.withResolvers<void>()
  const sink = pack.entry(header, (error) => (error ? done.reject(error) : done.resolve()))
  let proceed = () => {}
  for (const event of ['drain', 'close'] as const) sink.on(event, () => proceed())
  // The pack emits errors too, to its consumer.
  sink.on('error', () => {})
  done.promise.catch(() => {})
  if (!isFolder) {
    for await (const piece of pieces) {
      if (pack.destroying) return
      if (sink.write(piece)) continue
      const { promise, resolve } = Promise.withResolvers<void>()
      proceed = resolve
      await promise
    }
    sink.end(null)
  }
  await done.promise
}

async function smallContent(scope: Scope, member: Member): Promise<Uint8Array | 'large' | 'gone'> {
  if (member.entry.kind === 'folder') return new Uint8Array()
  if (member.entry.size > smallSize) return 'large'
  const file = await openIfThere(scope, member)
  if (file === undefined) return 'gone'
  try {
    return file.entry.size > smallSize ? 'large' : await wholeOf(file, file.entry.size)
  } finally {
    file.close()
  }
}

async function openIfThere(scope: Scope, { path }: Member): Promise<OpenFile | undefined> {
  try {
    return await scope.open(path)
  } catch (error) {
    if (isUnavailable(error)) return undefined
    throw error
  }
}
