/** The address of an archive of one file or folder. */
export function archiveOf(served: string, algo: string): string {
  const cut = served.lastIndexOf('/')
  return `/api/raw${served.slice(0, cut)}?algo=${algo}&files=${encodeURIComponent(served.slice(cut + 1))}`
}
