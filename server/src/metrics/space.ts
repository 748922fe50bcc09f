import { statfs } from 'node:fs/promises'
import type { Metric } from './metric.ts'

/** A disk that does not answer is left out. */
export async function freeSpace(disks: Readonly<Record<string, string>>): Promise<Metric> {
  const samples = await Promise.all(
    Object.entries(disks).map(async ([disk, folder]) => {
      const found = await statfs(folder).catch(() => undefined)
      return found === undefined ? [] : [{ value: found.bavail * found.bsize, labels: { disk } }]
    }),
  )
  return {
    name: 'filestead_free_bytes',
    help: 'Space that is left on the disk of the served files and on that of the database.',
    type: 'gauge',
    samples: samples.flat(),
  }
}
