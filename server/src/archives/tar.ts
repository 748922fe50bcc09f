import type { Scope } from '../access/scope.ts'
import type { OpenFile, WholeFile } from '../storage/port.ts'
import { passingPiecesOf, wholeOf } from './content.ts'
import type { LeftOut } from './left-out.ts'
import { isUnavailable, type Member } from './members.ts'
import { smallSize, withFiles } from './small-files.ts'
import { joining } from './stream.ts'
import { paddingAfter, tarEnd, tarHeader } from './tar-header.ts'

/** A file has the length that it has when it is opened. A piece is good until the next one is asked for. */
export async function* tarOf(
  scope: Scope,
  runs: AsyncIterable<readonly Member[]>,
  leftOut: LeftOut,
): AsyncGenerator<Uint8Array> {
  const joined = joining()
  for await (const group of withFiles(scope, marked(runs), ({ member }) => openWhole(scope, member))) {
    const pieces: Uint8Array[] = []
    for (const { item, file } of group) {
      const { member, isRead } = item
      if (file === 'gone') leftOut.add(member.name)
      else if (isRead ? file === 'large' : isLarge(member)) {
        yield joined(pieces.splice(0))
        yield* large(scope, member, leftOut)
      } else pieces.push(...whole(member, typeof file === 'object' ? file.bytes : nothing))
    }
    yield joined(pieces)
  }
  const last = leftOut.member()
  if (last?.text) yield Buffer.concat(whole(last, last.text))
  yield tarEnd
}

const nothing = new Uint8Array()

const whole = (member: Member, content: Uint8Array): Uint8Array[] => [
  tarHeader(member, content.length),
  content,
  paddingAfter(content.length),
]

async function* marked(runs: AsyncIterable<readonly Member[]>) {
  for await (const run of runs)
    yield run.map((member) => ({ member, isRead: member.entry.kind === 'file' && !isLarge(member) }))
}

const isLarge = ({ entry }: Member): boolean => entry.kind === 'file' && entry.size > smallSize

async function* large(scope: Scope, member: Member, leftOut: LeftOut): AsyncGenerator<Uint8Array> {
  const file = await openIfThere(scope, member)
  if (file === undefined) return leftOut.add(member.name)
  try {
    const { size } = file.entry
    yield tarHeader(member, size)
    yield* passingPiecesOf(file, size)
    yield paddingAfter(size)
  } finally {
    file.close()
  }
}

export async function openWhole(scope: Scope, member: Member): Promise<WholeFile | 'large' | 'gone'> {
  const file = await openIfThere(scope, member)
  if (file === undefined) return 'gone'
  try {
    const { entry } = file
    return entry.size > smallSize ? 'large' : { entry, bytes: await wholeOf(file, entry.size) }
  } finally {
    file.close()
  }
}

export async function openIfThere(scope: Scope, { path }: Member): Promise<OpenFile | undefined> {
  try {
    return await scope.open(path)
  } catch (error) {
    if (isUnavailable(error)) return undefined
    throw error
  }
}
