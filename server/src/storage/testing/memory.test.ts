import { parsePath } from '../path.ts'
import type { Capabilities } from '../port.ts'
import { describeStorage } from './conformance.ts'
import { likeAnObjectStore, memoryRoot, memoryStorage } from './memory.ts'
import { piecesOf, type Subject } from './subject.fixture.ts'

async function subject(capabilities?: Capabilities): Promise<Subject> {
  const storage = memoryStorage(capabilities)
  return {
    storage,
    root: memoryRoot,
    link: async (target, path) => storage.putLink(target, parsePath(path)),
    async fill(folder, names) {
      for (const name of names)
        await storage.write(parsePath(`${folder}/${name}`), piecesOf(''), { precondition: 'absent' })
    },
  }
}

await describeStorage('in memory', () => subject())
await describeStorage('in memory, like an object store', () => subject(likeAnObjectStore))
await describeStorage('in memory, without atomic replacing', () =>
  subject({ ...likeAnObjectStore, atomicReplace: false }),
)
