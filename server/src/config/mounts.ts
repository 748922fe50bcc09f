import type { LinkPolicy } from '@filestead/contract'
import { isDiskAddress } from '../storage/address.ts'
import { reads } from './values.ts'

/** A mount that the command line, a variable or a config file names. */
export interface NamedMount {
  readonly name: string
  readonly folder: string
  readonly links: LinkPolicy
  readonly readOnly: boolean
}

/**
 * Parts behind commas: one with a full path or an address begins a mount, the others say more about it. So repeated flags, a variable and
 * the list of a config file are one text.
 */
export const MountList = reads(
  (raw) => parsedMounts(String(raw)),
  'must be names and full paths or addresses such as Photos=/mnt/photos, each followed by ,readOnly or ,links=outside if wanted',
)

function parsedMounts(text: string): NamedMount[] | undefined {
  const mounts: NamedMount[] = []
  for (const part of text.split(',').map((part) => part.trim())) {
    const before = mounts.pop()
    const [, name, folder] = /^([^=]+)=((?:\/|[a-z][a-z0-9+.-]*:\/\/).*)$/i.exec(part) ?? []
    if (name !== undefined && folder !== undefined) {
      if (before !== undefined) mounts.push(before)
      mounts.push({ name: name.trim(), folder, links: 'inside', readOnly: false })
    } else if (part === '') mounts.push(...(before === undefined ? [] : [before]))
    else {
      const more = detailIn(part)
      if (before === undefined || more === undefined) return undefined
      mounts.push({ ...before, ...more })
    }
  }
  return mounts
}

function detailIn(part: string): Partial<NamedMount> | undefined {
  const [, key = '', value = 'true'] = /^(\w+)(?:=(\w+))?$/.exec(part) ?? []
  if (key === 'readOnly' && (value === 'true' || value === 'false')) return { readOnly: value === 'true' }
  if (key === 'links' && (value === 'inside' || value === 'outside')) return { links: value }
  return undefined
}

/** What a config file has, as the text of a flag: a list of such texts, or names with a folder or with facts. */
export function mountsText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mountsText).join(',')
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .map(([name, facts]) => {
      if (typeof facts !== 'object' || facts === null) return `${name}=${withoutCommas(facts)}`
      const { folder, ...more } = facts as Record<string, unknown>
      return [`${name}=${withoutCommas(folder)}`, ...Object.entries(more).map(([key, fact]) => `${key}=${fact}`)].join(
        ',',
      )
    })
    .join(',')
}

/** Commas of an address are a part of it here, where nothing follows it. */
const withoutCommas = (folder: unknown): unknown =>
  typeof folder === 'string' && !isDiskAddress(folder) ? folder.replaceAll(',', '%2C') : folder
