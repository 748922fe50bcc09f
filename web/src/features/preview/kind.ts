import type { Entry } from '../../api/resources.ts'

export type PreviewKind = 'image' | 'video' | 'audio' | 'pdf' | 'epub' | 'csv' | 'blob'

/** Which viewer shows a file. Tables and books are known by their names: to the server they are texts and blobs. */
export function previewKind({ type, extension }: Pick<Entry, 'type' | 'extension'>): PreviewKind {
  switch (extension.toLowerCase()) {
    case '.csv':
      return 'csv'
    case '.epub':
      return 'epub'
  }
  return type === 'image' || type === 'video' || type === 'audio' || type === 'pdf' ? type : 'blob'
}

/** Shown on the dark stage in both themes, and one after the other. */
export const isOnStage = (kind: PreviewKind): boolean => kind !== 'pdf' && kind !== 'epub' && kind !== 'csv'

const shownByBrowsers = /\.(jpe?g|jfif|png|gif|webp|avif|bmp|ico|svg|apng)$/i

/** Whether a browser can show the picture by itself; others need the server to turn it into one. */
export const isShownByBrowsers = (name: string): boolean => shownByBrowsers.test(name)
