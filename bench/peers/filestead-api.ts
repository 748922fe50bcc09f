import type { Request } from '../exchange.ts'
import { archiveOf } from './archive-address.ts'
import { type Dialect, get } from './dialect.ts'

/** The API that Filestead took over from File Browser. */
export const filesteadApi: Dialect = {
  health: '/health',
  list: (folder) => get(`/api/resources${folder}/`),
  countListed: (body) => (JSON.parse(body) as { items?: unknown[] }).items?.length ?? 0,
  listTree: (folder) => get(`/api/resources/recursive${folder}/`),
  search: (folder, words) => get(`/api/search${folder}/?query=${encodeURIComponent(words)}`),
  download: (file) => get(`/api/raw${file}`),
  checksum: (file) => get(`/api/resources${file}?checksum=sha256`),
  readChecksum: (body) => (JSON.parse(body) as { checksums?: { sha256?: string } }).checksums?.sha256 ?? '',
  copyFile: copy,
  copyFolder: copy,
  upload: (file) => ({ method: 'POST', path: `/api/resources${file}` }),
  tus: (file) => `/api/tus${file}`,
  zip: (folder) => get(archiveOf(folder, 'zip')),
  tarGz: (folder) => get(archiveOf(folder, 'targz')),
  thumbnail: (file) => get(`/api/preview/thumb${file}?inline=true`),
}

function copy(from: string, to: string): Request {
  // The API decodes a destination twice.
  const destination = encodeURIComponent(encodeURIComponent(to))
  return { method: 'PATCH', path: `/api/resources${from}?action=copy&destination=${destination}` }
}
