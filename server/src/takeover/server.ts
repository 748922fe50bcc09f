import type { Given } from '../config/config.ts'
import type { Changes } from './changes.ts'
import type { OldServer } from './old-records.ts'

/** The options that File Browser has, by their names here. */
const known = [
  ...['root', 'baseURL', 'address', 'port', 'socket', 'cert', 'key', 'log', 'tokenExpirationTime', 'disableThumbnails'],
  ...['disablePreviewResize', 'disableTypeDetectionByHeader', 'disableImageResolutionCalc', 'followExternalSymlinks'],
]

/**
 * The imported options with those already stored that File Browser does not know. Commands stay on only if they were on
 * both before and in the import.
 */
export function serverWith(stored: Given, old: OldServer, changes: Changes): Given {
  const kept = Object.entries(stored).filter(([name]) => !known.includes(name))
  const disableExec = stored.disableExec !== false || !old.enableexec
  return { ...Object.fromEntries(kept), ...serverFrom(old, changes), disableExec }
}

/** The options of File Browser by their names here. Defaults are left out. */
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
