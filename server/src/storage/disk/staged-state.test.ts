import { afterAll, expect, spyOn, test } from 'bun:test'
import { linuxKernel } from '../linux/kernel.ts'
import { makeFolder, removeFolders } from '../testing/disk.fixture.ts'
import { openFolder } from './full-paths.ts'
import { openStaged } from './staged-state.ts'

afterAll(removeFolders)

test('what a process holds that stands still is not available, so that a job waits for it', async () => {
  const kernel = linuxKernel()
  const folder = openFolder(kernel, await makeFolder())
  const held = await openStaged(kernel, folder, 'job.0', undefined)
  // Each look at the clock is half a minute later.
  let now = 0
  const clock = spyOn(performance, 'now').mockImplementation(() => {
    now += 30_000
    return now
  })
  try {
    await expect(openStaged(kernel, folder, 'job.0', undefined)).rejects.toMatchObject({ code: 'unavailable' })
  } finally {
    clock.mockRestore()
    held.close()
  }
  const free = await openStaged(kernel, folder, 'job.0', undefined)
  free.close()
  kernel.close(folder)
})
