const key = 'filestead.uploads'

/** May uploads have been left behind? Asked at every start, before anything that could tell for sure is loaded. */
export const hasKept = (): boolean => localStorage.getItem(key) !== null

export function noteKept(isThere: boolean): void {
  if (isThere) localStorage.setItem(key, '1')
  else localStorage.removeItem(key)
}
