import { statfs } from 'node:fs/promises'
import type { Metric } from './metric.ts'

/** Free and total space. A disk that does not answer is left out. */
export async function spaceOn(disks: Readonly<Record<string, string>>): Promise<Metric[]> {
  const found = await Promise.all(
    Object.entries(disks).map(async ([disk, folder]) => {
      const facts = await statfs(folder).catch(() => undefined)
      if (facts === undefined) return []
      const { bsize, bavail, blocks } = facts
      return [{ labels: { disk }, free: bavail * bsize, size: blocks * bsize }]
    }),
  )
  const spaces = found.flat()
  return [
    {
      name: 'filestead_free_bytes',
      help: 'Space that is left on the disk of the served files and on that of the database.',
      type: 'gauge',
      samples: spaces.map(({ labels, free }) => ({ labels, value: free })),
    },
    {
      name: 'filestead_disk_bytes',
      help: 'Size of these disks.',
      type: 'gauge',
      samples: spaces.map(({ labels, size }) => ({ labels, value: size })),
    },
  ]
}
