const MB = 1_000_000

/** How much work: `small` shows in a moment that all runs, `full` is what a figure may be quoted from. */
export const scales = {
  small: {
    entries: 2_000,
    manyEntries: 2_000,
    treeEntries: 2_000,
    fileBytes: 20 * MB,
    textBytes: 8 * MB,
    copiedFiles: 200,
    photos: 2,
    smallFiles: 50,
    loadSeconds: 1,
  },
  full: {
    entries: 10_000,
    manyEntries: 100_000,
    treeEntries: 20_000,
    fileBytes: 1_000 * MB,
    textBytes: 160 * MB,
    copiedFiles: 5_000,
    photos: 24,
    smallFiles: 1_000,
    loadSeconds: 2,
  },
}

export type ScaleName = keyof typeof scales
export type Scale = (typeof scales)[ScaleName]

export function isScaleName(text: string): text is ScaleName {
  return Object.hasOwn(scales, text)
}
