import { type Kernel, O } from '../linux/kernel.ts'

/** Opens a folder by its full name, from the top and through no link. */
export function openFolder(kernel: Kernel, place: string): number {
  const root = kernel.open(-1, '/', O.PATH | O.DIRECTORY)
  try {
    return kernel.openBeneath(root, place.slice(1) || '.', O.RDONLY | O.DIRECTORY)
  } finally {
    kernel.close(root)
  }
}

export function splitPath(place: string): { folder: string; name: string } {
  const cut = place.lastIndexOf('/')
  return { folder: place.slice(0, cut), name: place.slice(cut + 1) }
}
