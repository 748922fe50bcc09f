import type { Entry } from '../../server/queries/resources.ts'

export type PreviewKind = 'image' | 'video' | 'audio' | 'pdf' | 'epub' | 'csv' | 'blob'

type Facts = Pick<Entry, 'type' | 'extension'>

/** Which viewer shows a file. Tables and books are known by their names: to the server they are texts and blobs. */
export function previewKind({ type, extension }: Facts): PreviewKind {
  switch (extension.toLowerCase()) {
    case '.csv':
    case '.tsv':
      return 'csv'
    case '.epub':
      return 'epub'
  }
  return type === 'image' || type === 'video' || type === 'audio' || type === 'pdf' ? type : 'blob'
}

export const isText = ({ type }: Pick<Entry, 'type'>): boolean => type === 'text' || type === 'textImmutable'

const steppable = new Set<Entry['type']>(['image', 'video', 'audio', 'blob'])

/** Is the file one of those that "Next" and "Previous" lead to? */
export const isSteppable = ({ type }: Pick<Entry, 'type'>): boolean => steppable.has(type)

export const isMarkdown = (name: string): boolean => /\.(md|markdown)$/i.test(name)
