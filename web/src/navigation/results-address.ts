import { folderAddress } from './addresses.ts'
import type { Address } from './location.ts'

/** The results of a search below a folder, as a listing. Only the files know it: other pages do not load it. */
export const resultsAddress = (folder: string, query: string): string =>
  `${folderAddress(folder)}?${new URLSearchParams({ query })}`

/** What is searched for at an address, or null where it shows no results. */
export const queryOf = ({ pathname, search }: Address): string | null =>
  pathname.endsWith('/') ? new URLSearchParams(search).get('query')?.trim() || null : null
