import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Errno } from '../linux/errno.ts'
import { type Kernel, linuxKernel } from '../linux/kernel.ts'
import { renameToFree } from './renaming.ts'

const linux = linuxKernel()
const refuse = (code: string) => () => {
  throw new Errno(code, 'test')
}
/** Without RENAME_NOREPLACE, as of NFS and many FUSE; and without second names of files as well. */
const plain: Kernel = { ...linux, renameToFree: refuse('EINVAL') }
const bare: Kernel = { ...plain, link: refuse('EPERM') }

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
let folder = ''
let fd = 0
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'filestead-renaming-'))
  folders.push(folder)
  fd = openSync(folder, 'r')
  writeFileSync(join(folder, 'from'), 'new')
})

const at = (name: string) => ({ folder: fd, name })
const text = (name: string) => readFileSync(join(folder, name), 'utf8')
const codeOfRename = (kernel: Kernel, from = 'from'): string => {
  try {
    renameToFree(kernel, at(from), at('to'))
    return 'done'
  } catch (error) {
    return (error as Errno).code
  }
}

describe.each([
  ['with second names', plain],
  ['without them', bare],
])('where the system cannot refuse a taken name, %s', (_name, kernel) => {
  test('a file gets a free name, and nothing else is left', () => {
    expect(codeOfRename(kernel)).toBe('done')
    expect([readdirSync(folder), text('to')]).toEqual([['to'], 'new'])
  })

  test('a taken name is refused, and both files stay', () => {
    writeFileSync(join(folder, 'to'), 'old')
    expect(codeOfRename(kernel)).toBe('EEXIST')
    expect([text('from'), text('to')]).toEqual(['new', 'old'])
  })

  test('a folder replaces neither a folder with files nor a file', () => {
    mkdirSync(join(folder, 'box'))
    mkdirSync(join(folder, 'to'))
    writeFileSync(join(folder, 'to/kept'), 'kept')
    expect(codeOfRename(kernel, 'box')).toBe('EEXIST')
    expect(text('to/kept')).toBe('kept')
    rmSync(join(folder, 'to'), { recursive: true })
    writeFileSync(join(folder, 'to'), 'old')
    expect(codeOfRename(kernel, 'box')).toBe('EEXIST')
    expect([text('to'), readdirSync(folder).sort()]).toEqual(['old', ['box', 'from', 'to']])
  })
})

test('what another program writes to a name while it is claimed is not replaced', () => {
  const meanwhile: Kernel = {
    ...bare,
    close(file) {
      linux.close(file)
      writeFileSync(join(folder, 'to'), 'theirs')
    },
  }
  expect(codeOfRename(meanwhile)).toBe('EEXIST')
  expect([text('from'), text('to')]).toEqual(['new', 'theirs'])
})

test('a rename that fails in its last step takes away only what it has made', () => {
  const full: Kernel = {
    ...bare,
    rename() {
      writeFileSync(join(folder, 'to'), 'theirs')
      throw new Errno('EIO', 'test')
    },
  }
  expect(codeOfRename(full)).toBe('EIO')
  expect([text('from'), text('to')]).toEqual(['new', 'theirs'])
  rmSync(join(folder, 'to'))
  expect(codeOfRename({ ...bare, rename: refuse('EIO') })).toBe('EIO')
  expect(readdirSync(folder)).toEqual(['from'])
})
