import { startPeer } from './child-peer.ts'
import { type Dialect, get, put } from './dialect.ts'

/** https://github.com/sigoden/dufs. It copies files, not folders. */
export const dufsDialect: Dialect = {
  list: (folder) => get(`${folder}/?json`),
  countListed: (body) => (JSON.parse(body) as { paths: unknown[] }).paths.length,
  search: (folder, words) => get(`${folder}/?json&q=${encodeURIComponent(words)}`),
  download: get,
  checksum: (file) => get(`${file}?hash`),
  readChecksum: (body) => body.trim(),
  copyFile: (from, to) => ({ method: 'COPY', path: from, headers: { Destination: to }, status: 204 }),
  upload: put,
  zip: (folder) => get(`${folder}/?zip`),
}

/** Everything is allowed and nothing is logged or compressed: what costs time without need is turned off. */
export const startDufs = startPeer({
  name: 'dufs',
  dialect: dufsDialect,
  versionFlag: '--version',
  argv: (program, { root, port }) => [
    ...[program, root, '--allow-all', '--bind', '127.0.0.1', '--port', String(port)],
    ...['--compress', 'none', '--log-format', ''],
  ],
})
