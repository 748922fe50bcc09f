import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { rootAt } from '../disk/base.ts'
import type { Disk } from '../disk/disk.ts'
import type { DiskStorage } from '../disk/disk-storage.ts'
import type { OwnFiles } from '../disk/own-files.ts'
import { storageAt } from '../disk/storage.ts'
import { linuxKernel } from '../linux/kernel.ts'
import { memoryLedger, memoryMoves } from './ledger.fixture.ts'
import { type Handle, handle, type Subject } from './subject.fixture.ts'

const made: string[] = []

/** An empty folder that goes away with `removeFolders`. */
export async function makeFolder(parent = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(parent, 'filestead-storage-'))
  made.push(folder)
  return folder
}

export async function removeFolders(): Promise<void> {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true })
}

const nothing: OwnFiles = {
  is: () => false,
  hasInode: () => false,
  holds: () => false,
  keeps: () => false,
  namesIn: () => undefined,
  reserves: () => false,
  edition: {},
  refresh() {},
}

export function makeDisk(parts: Partial<Disk> = {}) {
  return {
    kernel: linuxKernel(),
    ledger: memoryLedger(),
    moves: memoryMoves(),
    ownFiles: nothing,
    modes: () => ({ file: 0o640, folder: 0o750 }),
    follows: false,
    foldsCase: () => false,
    spool: '/nonexistent',
    ...parts,
  }
}

/** The files below one folder. `directory` itself is the administrator's choice and may be a link. */
export const diskStorage = (disk: Disk, directory: string): DiskStorage => storageAt(disk, rootAt(disk, directory))

/** Storage over a temporary folder. */
export async function onDisk(disk: Disk = makeDisk(), root?: string): Promise<Subject> {
  const folder = root ?? (await makeFolder())
  return {
    storage: diskStorage(disk, folder),
    root: folder,
    async link(target, path) {
      await mkdir(join(folder, dirname(path)), { recursive: true })
      await symlink(target, join(folder, path))
    },
    ...sparseFiles(folder),
    fill: (path, names) => putFiles(folder, Object.fromEntries(names.map((name) => [join(path, name), '']))),
  }
}

/** The side doors of a subject for files with holes. */
export const sparseFiles = (folder: string): Required<Pick<Subject, 'hole' | 'occupied'>> => ({
  async hole(path, size) {
    await writeFile(join(folder, path), '')
    await truncate(join(folder, path), size)
  },
  occupied: async (path) => (await stat(join(folder, path))).blocks * 512,
})

/** The same, with the handy verbs of a test. */
export const makeHandle = async (disk?: Disk, root?: string): Promise<Handle> => handle(await onDisk(disk, root))

/** What really lies in a folder: every path with its content, drafts included; folders end with a slash. */
export async function filesIn(root: string, below = ''): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const entry of await readdir(join(root, below), { withFileTypes: true })) {
    const path = `${below}/${entry.name}`
    if (entry.isDirectory()) Object.assign(found, { [`${path}/`]: '' }, await filesIn(root, path))
    else if (entry.isSymbolicLink()) found[`${path}@`] = await readlink(join(root, path))
    else found[path] = await readFile(join(root, path), 'utf8')
  }
  return found
}

export async function putFiles(root: string, files: Record<string, string | Uint8Array>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(root, dirname(path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
}
