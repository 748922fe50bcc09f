import { parsePath } from '../path.ts'
import { describeStorage } from './conformance.ts'
import { memoryRoot, memoryStorage } from './memory.ts'
import { piecesOf } from './subject.fixture.ts'

describeStorage('in memory', async () => {
  const storage = memoryStorage()
  return {
    storage,
    root: memoryRoot,
    link: async (target, path) => storage.putLink(target, parsePath(path)),
    async fill(folder, names) {
      for (const name of names)
        await storage.write(parsePath(`${folder}/${name}`), piecesOf(''), { precondition: 'absent' })
    },
  }
})
