/** Path arithmetic on absolute, '/'-separated virtual paths. Pure, shared by server and browser. */

export const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0)) || '/'

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

export const join = (folder: string, name: string): string => (folder === '/' ? `/${name}` : `${folder}/${name}`)

export const segmentsOf = (path: string): string[] => (path === '/' ? [] : path.slice(1).split('/'))

/** Is `path` the folder itself or below it? '/secretary' is not inside '/secret'. */
export const isInside = (path: string, folder: string): boolean =>
  folder === '/' || path === folder || (path.startsWith(folder) && path[folder.length] === '/')

/** From the last dot on, dot included; '.bashrc' is all extension, as clients have always been told. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot === -1 ? '' : name.slice(dot)
}

/** The name that keeps both files: 'a.txt' becomes 'a(1).txt'. */
export function numbered(path: string, count: number): string {
  const extension = extensionOf(nameOf(path))
  return `${path.slice(0, path.length - extension.length)}(${count})${extension}`
}

/** For use in an address: every segment percent-encoded, the slashes kept. */
export const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** Of the answer to a copy or move: the path that the entry has now, encoded as in an address. */
export const destinationHeader = 'X-Destination'
