import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { refusalOf } from '../testing/subject.fixture.ts'
import { asOnWindows, startOwnServer } from './own-server.fixture.ts'
import { at, atTheEnd, emptyFolder, filesOf, startServer } from './servers.fixture.ts'

const windows = await startOwnServer({ reads: asOnWindows })
atTheEnd(() => windows.stop())
const plain = await startServer()
atTheEnd(() => plain.stop())

function setUp() {
  const above = emptyFolder()
  const folder = join(above, 'served')
  mkdirSync(folder)
  writeFileSync(join(above, 'outside'), 'a secret')
  writeFileSync(join(folder, 'Inside'), 'inside')
  return folder
}

test.each([true, false])(
  'letters in both cases are one name where the server takes them so (read-only: %p)',
  async (isReadOnly) => {
    const folder = setUp()
    for (const [server, foldsCase] of [
      [windows, true],
      [plain, false],
    ] as const) {
      const files = filesOf(server, folder, { isReadOnly })
      expect(await files.probe()).toBeUndefined()
      expect(files.abilities.foldsCase).toBe(foldsCase)
    }
  },
)

test('a backslash that parts names leads to nothing; else it is a letter like others', async () => {
  const folder = setUp()
  const files = filesOf(windows, folder)
  for (const path of ['/..\\outside', '/x\\..\\..\\outside', '/Inside::$DATA'])
    expect(await refusalOf(files.stat(at(path)))).toMatchObject({ code: 'invalid' })
  writeFileSync(join(folder, '..\\outside'), 'a name')
  expect(await filesOf(plain, folder).stat(at('/..\\outside'))).toMatchObject({ size: 6 })
})
