import type { Given } from '../config/config.ts'
import type { Changes } from './changes.ts'
import type { OldServer } from './old-records.ts'

/** What File Browser can say about a server, in our names. */
const known = [
  ...['root', 'baseURL', 'address', 'port', 'socket', 'cert', 'key', 'log', 'tokenExpirationTime', 'disableThumbnails'],
  ...['disablePreviewResize', 'disableTypeDetectionByHeader', 'disableImageResolutionCalc', 'followExternalSymlinks'],
]

/**
 * The same with what is set here already: options that File Browser does not know stay. Programs go on where they ran
 * before and are to run.
 */
export function serverWith(stored: Given, old: OldServer, changes: Changes): Given {
  const ours = Object.entries(stored).filter(([name]) => !known.includes(name))
  const disableExec = stored.disableExec !== false || !old.enableexec
  return { ...Object.fromEntries(ours), ...serverFrom(old, changes), disableExec }
}

/** How the server is to run, in the names of our flags. What does not differ from the usual is not written down. */
export function serverFrom(old: OldServer, changes: Changes): Given {
  const hasBoth = Boolean(old.tlscert) === Boolean(old.tlskey)
  if (!hasBoth) changes.add('option-changed', '--cert, --key')
  const given: Given = {
    root: old.root || undefined,
    baseURL: baseURLOf(old.baseurl, changes),
    address: old.address,
    port: portOf(old.port, changes),
    socket: old.socket || undefined,
    cert: hasBoth ? old.tlscert || undefined : undefined,
    key: hasBoth ? old.tlskey || undefined : undefined,
    log: old.log,
    tokenExpirationTime: old.tokenexpirationtime || undefined,
    disableThumbnails: inverse(old.enablethumbnails),
    disablePreviewResize: inverse(old.resizepreview),
    disableTypeDetectionByHeader: inverse(old.typedetectionbyheader),
    disableImageResolutionCalc: inverse(old.imageresolutioncalculation ?? old.imageresolutioncal),
    followExternalSymlinks: old.followexternalsymlinks,
    // Commands wait for the confirmation of an administrator.
    disableExec: true,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

const inverse = (value: boolean | undefined): boolean | undefined => (value === undefined ? undefined : !value)

function baseURLOf(text: string | undefined, changes: Changes): string | undefined {
  const path = `/${(text ?? '').split('/').filter(Boolean).join('/')}`
  if (path === '/') return undefined
  if (!/[?#\s]/.test(path)) return path
  changes.add('option-changed', `--baseURL ${text}`)
  return undefined
}

function portOf(text: string | undefined, changes: Changes): number | undefined {
  if (!text) return undefined
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  changes.add('option-changed', `--port ${text}`)
  return undefined
}
