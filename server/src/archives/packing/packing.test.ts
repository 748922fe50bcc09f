import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PackFormat, packFormats, permissionNames, User } from '@filestead/contract'
import { actorOf } from '../../access/actor.ts'
import { type Scope, scopeOf } from '../../access/scope.ts'
import { parsePath, type VirtualPath } from '../../storage/path.ts'
import type { Entry, OpenDraft } from '../../storage/port.ts'
import { memoryStorage } from '../../storage/testing/memory.ts'
import { leftOut } from '../left-out.ts'
import { selectionBeside } from '../selected-items.ts'
import { packRest } from './pack.ts'
import type { PackState } from './parts.ts'
import { tarPacker } from './tar-packer.ts'
import { zipPacker } from './zip-packer.ts'

const perm = Object.fromEntries(permissionNames.map((name) => [name, true]))
const ann = User.parse({ username: 'ann', id: 7, scope: '/', perm })

/** A draft in memory. */
class Bytes implements OpenDraft {
  bytes = Buffer.alloc(0)
  get size() {
    return this.bytes.length
  }
  async append(pieces: AsyncIterable<Uint8Array>) {
    const parts: Uint8Array[] = [this.bytes]
    try {
      for await (const piece of pieces) parts.push(piece.slice())
    } finally {
      this.bytes = Buffer.concat(parts)
    }
  }
  async readInto(memory: Uint8Array, start: number) {
    return this.bytes.copy(memory, 0, start)
  }
  async truncate(size: number) {
    this.bytes = this.bytes.subarray(0, size)
  }
  async sync() {}
  commit = (): Promise<Entry> => Promise.reject(new Error('never'))
  close() {}
}

class Crash extends Error {}

const steps = { bytes: 300_000, members: 7, milliseconds: 60_000, longFile: 400_000 }

interface Archive {
  readonly draft: Bytes
  readonly side: Bytes
  kept: { state: PackState; size: number; sideSize: number } | undefined
  goes: number
}

/** Packs until the first mark after `crashAt` marks, as if the process had died there. */
async function packOnce(
  scope: Scope,
  items: readonly string[],
  format: PackFormat,
  archive: Archive,
  crashAt: number,
): Promise<void> {
  const { draft, side, kept } = archive
  await draft.truncate(kept?.size ?? 0)
  await side.truncate(kept?.sideSize ?? 0)
  archive.goes += 1
  const headers: Uint8Array[] = []
  const packer =
    format === 'zip' ? zipPacker({ add: (header) => void headers.push(header), draft: side }) : tarPacker(format)
  const state = kept?.state ?? { count: 0, files: 0, bytes: 0, leftOut: [] }
  const selection = await selectionBeside(items.map(parsePath))
  const { signal } = new AbortController()
  const except = '/never' as VirtualPath
  const packing = { scope, signal, selection, leftOut: leftOut(state.leftOut), except, steps, progress() {} }
  let marks = 0
  await packRest(packing, packer, draft, state, async (marked) => {
    await side.append(only(Buffer.concat(headers.splice(0))))
    // Through JSON, as a row keeps it.
    archive.kept = { state: JSON.parse(JSON.stringify(marked)), size: draft.size, sideSize: side.size }
    marks += 1
    if (marks > crashAt) {
      await draft.append(only(Buffer.from('bytes that nothing tells of')))
      throw new Crash()
    }
  })
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function packed(files: Record<string, Uint8Array>, items: string[], format: PackFormat, crashAt: number) {
  const storage = memoryStorage()
  for (const [path, content] of Object.entries(files))
    await storage.write(parsePath(path), only(content), { precondition: 'any' })
  const scope = scopeOf(actorOf(ann, []), storage)
  const archive: Archive = { draft: new Bytes(), side: new Bytes(), kept: undefined, goes: 0 }
  for (;;) {
    try {
      await packOnce(scope, items, format, archive, crashAt)
      return archive
    } catch (error) {
      if (!(error instanceof Crash)) throw error
    }
  }
}

const text = (length: number, seed = 1) =>
  Buffer.from(`line ${seed} of a text that can be packed\n`.repeat(length / 30)).subarray(0, length)

function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, Math.min(at + 65_536, length)))
  return bytes
}

const tree: Record<string, Uint8Array> = {
  '/box/a.txt': text(10),
  '/box/empty': Buffer.alloc(0),
  '/box/long.txt': text(3_500_000),
  '/box/long.bin': noise(2_300_000),
  '/box/medium.bin': noise(300_000),
  ...Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`/box/many/${i}.txt`, text(i * 50 + 30, i)])),
  '/box/name with ümlaut ☃.txt': text(99),
  '/outside.txt': text(500),
}

/** What lists an archive and what unpacks it; the folder comes last. */
const tools: Record<PackFormat, { needs: string[]; list: string[]; unpack: string[] }> = {
  zip: { needs: ['unzip'], list: ['unzip', '-Z1'], unpack: ['unzip', '-q', '$', '-d'] },
  'tar.gz': { needs: ['tar', 'gzip'], list: ['tar', '-tzf'], unpack: ['tar', '-xzf', '$', '-C'] },
  'tar.zst': { needs: ['tar', 'zstd'], list: ['tar', '--zstd', '-tf'], unpack: ['tar', '--zstd', '-xf', '$', '-C'] },
}

function said(command: string[]): string {
  const { exitCode, stderr, stdout } = Bun.spawnSync(command)
  expect([exitCode, stderr.toString()]).toEqual([0, ''])
  return stdout.toString()
}

/** The hashes of its files by name. Undefined where the tool is not installed. */
function unpacked(archive: Buffer, format: PackFormat): Record<string, string> | undefined {
  const { needs, list, unpack } = tools[format]
  if (needs.some((tool) => Bun.which(tool) === null)) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'filestead-packing-'))
  try {
    const file = join(folder, `archive.${format}`)
    writeFileSync(file, archive)
    const names = said([...list, file])
      .trim()
      .split('\n')
    expect(names.length).toBe(new Set(names).size)
    expect(names).toContain('box/many/')
    said([...unpack.map((word) => (word === '$' ? file : word)), folder])
    rmSync(file)
    const found: Record<string, string> = {}
    for (const name of new Bun.Glob('**/*').scanSync({ cwd: folder, dot: true }))
      if (statSync(join(folder, name)).isFile())
        found[`/${name}`] = Bun.hash(readFileSync(join(folder, name))).toString()
    return found
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const hashes = Object.fromEntries(Object.entries(tree).map(([path, content]) => [path, Bun.hash(content).toString()]))

for (const format of packFormats)
  for (const crashAt of [Number.POSITIVE_INFINITY, 0, 3])
    test(`${format}: an archive that is interrupted ${crashAt === 0 ? 'at every mark' : crashAt === 3 ? 'at every fourth mark' : 'never'} holds every file once`, async () => {
      const { draft, goes } = await packed(tree, ['/box', '/outside.txt'], format, crashAt)
      if (crashAt === 0) expect(goes).toBeGreaterThan(10)
      // Undefined where the tool of the system is not installed.
      expect(unpacked(draft.bytes, format) ?? hashes).toEqual(hashes)
    })
