import { realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Settings } from '@filestead/contract'
import { mediaTypeOf } from '../http/media-types.ts'
import type { VirtualPath } from '../storage/path.ts'

/**
 * The name that a new installation gets. It is a setting like any other: an empty name, as in databases that came from
 * File Browser, shows the generic one of the pages that people know.
 */
export const productName = 'Filestead'

const customCss = '/custom.css' as VirtualPath

/** A file of the branding folder: an image that replaces one of the client, or the additional style sheet. */
export async function brandingFile({ branding }: Settings, path: VirtualPath): Promise<string | undefined> {
  if (branding.files === '' || !(path === customCss || isPicture(path))) return undefined
  try {
    // Served without a session: a symlink in the folder must not lead out of it.
    const [folder, file] = await Promise.all([realpath(branding.files), realpath(join(branding.files, path))])
    return file.startsWith(folder + sep) && (await stat(file)).isFile() ? file : undefined
  } catch {
    return undefined
  }
}

const isPicture = (path: VirtualPath): boolean =>
  path.startsWith('/img/') && (mediaTypeOf(path)?.startsWith('image/') ?? false)

export const hasCustomCss = async (settings: Settings): Promise<boolean> =>
  (await brandingFile(settings, customCss)) !== undefined
