import { afterAll, expect, test } from 'bun:test'
import { Errno, tolerating } from '../linux/errno.ts'
import { type Kernel, linuxKernel, type Name, O } from '../linux/kernel.ts'
import { makeDisk, makeHandle, removeFolders } from '../testing/disk.fixture.ts'

afterAll(removeFolders)

test('on a file system without case a name can be spelled anew', async () => {
  const { put, rename, tree } = await makeHandle(makeDisk({ kernel: caselessKernel() }))
  await put({ '/Report.TXT': '1', '/Box/a': '2', '/caf\u00e9': '3' })
  await rename('/Report.TXT', '/report.txt')
  await rename('/Box', '/BOX', true)
  await rename('/caf\u00e9', '/CAFE\u0301', true)
  expect(await tree()).toEqual({ '/report.txt': '1', '/BOX/': '', '/BOX/a': '2', '/CAFE\u0301': '3' })
})

/** Finds an entry under any spelling of its name, as vfat and some network file systems do. */
function caselessKernel(): Kernel {
  const linux = linuxKernel()
  const plain = (name: Name) => name.toString().normalize('NFD').toLowerCase()
  const spelled = (folder: number, name: Name): Name => {
    const fd = linux.open(folder, '.', O.RDONLY | O.DIRECTORY)
    const found = linux.readFolder(fd)?.find((item) => plain(item.name) === plain(name))
    linux.close(fd)
    return found?.name ?? name
  }
  const isThere = (folder: number, name: Name) => tolerating(['ENOENT'], () => linux.stat(folder, name)) !== undefined
  return {
    ...linux,
    stat: (folder, name) => linux.stat(folder, name === '.' ? name : spelled(folder, name)),
    look: (folder, name) => linux.look(folder, name === '.' ? name : spelled(folder, name)),
    unlink: (folder, name) => linux.unlink(folder, spelled(folder, name)),
    rename: (from, name, to, newName) => linux.rename(from, spelled(from, name), to, newName),
    renameToFree(from, name, to, newName) {
      if (isThere(to, spelled(to, newName))) throw new Errno('EEXIST', 'test')
      linux.renameToFree(from, spelled(from, name), to, newName)
    },
  }
}
