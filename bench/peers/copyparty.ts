import { startPeer } from './child-peer.ts'
import { type Dialect, get, put } from './dialect.ts'

/** https://github.com/9001/copyparty */
export const copypartyDialect: Dialect = {
  list: (folder) => get(`${folder}/?ls`),
  countListed(body) {
    const { dirs, files } = JSON.parse(body) as { dirs: unknown[]; files: unknown[] }
    return dirs.length + files.length
  },
  download: get,
  copyFile: copy,
  copyFolder: copy,
  upload: put,
  zip: (folder) => get(`${folder}/?zip`),
  tarGz: (folder) => get(`${folder}/?tar=gz`),
  thumbnail: (file) => get(`${file}?th=j`),
}

function copy(from: string, to: string) {
  return { method: 'POST', path: `${from}?copy=${encodeURIComponent(to)}`, status: 201 } as const
}

/** Without an index of what it serves, as it is at its first start; what it keeps lies outside of the root. */
export const startCopyparty = startPeer({
  name: 'copyparty',
  dialect: copypartyDialect,
  versionFlag: '--version',
  argv: (program, { root, home, port }) => [
    ...[program, '-i', '127.0.0.1', '-p', String(port), '-q', '--hist', home, '--no-reload'],
    ...['-v', `${root}::A`],
  ],
})
