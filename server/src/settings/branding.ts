import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settings } from '@filestead/contract'
import type { VirtualPath } from '../files/path.ts'

const customCss = '/custom.css' as VirtualPath

/** The administrator's own file in place of one of ours: pictures, and one more style sheet. */
export async function brandingFile({ branding }: Settings, path: VirtualPath): Promise<string | undefined> {
  if (branding.files === '' || (path !== customCss && !path.startsWith('/img/'))) return undefined
  const file = join(branding.files, path)
  const isThere = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  )
  return isThere ? file : undefined
}

export const hasCustomCss = async (settings: Settings): Promise<boolean> =>
  (await brandingFile(settings, customCss)) !== undefined
