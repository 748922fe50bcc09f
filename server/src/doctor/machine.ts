import { existsSync, readFileSync } from 'node:fs'
import { release } from 'node:os'
import { type Finding, findingsAbout } from './finding.ts'

const kernel = findingsAbout('Kernel')
const films = findingsAbout('Films')
const pictures = findingsAbout('Pictures')

export interface Machine {
  /** Asks the kernel; loading its library fails where there is none. */
  hasOpenat2(): Promise<boolean>
  loadImages(): Promise<unknown>
  ffmpeg: string | null
  procFolder?: string
}

export async function examineMachine({
  hasOpenat2,
  loadImages,
  ffmpeg,
  procFolder = '/proc',
}: Machine): Promise<Finding[]> {
  return [await examineKernel(hasOpenat2, procFolder), ...openFiles(procFolder), await images(loadImages), film(ffmpeg)]
}

async function examineKernel(hasOpenat2: Machine['hasOpenat2'], procFolder: string): Promise<Finding> {
  if (!existsSync(`${procFolder}/self/fd`))
    return kernel.bad(
      'The folder /proc is missing, and files are opened through it.',
      'Mount it: mount -t proc proc /proc. A container or service may have been told to hide it.',
    )
  try {
    return (await hasOpenat2())
      ? kernel.good(`Linux ${release()} opens files without following links in one step (openat2)`)
      : kernel.note(
          `Linux ${release()} does not offer openat2, or a sandbox hides it. Folders are walked name by name instead: as safe, a little slower.`,
          'Kernels from 5.6 on have it; old versions of Docker (libseccomp) hide it.',
        )
  } catch (error) {
    return kernel.bad((error as Error).message, 'Run Filestead on Linux with glibc or musl.')
  }
}

const fewFiles = 1024

function openFiles(procFolder: string): Finding[] {
  const limits = existsSync(`${procFolder}/self/limits`) ? readFileSync(`${procFolder}/self/limits`, 'utf8') : ''
  const most = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY)
  if (most >= fewFiles) return []
  return [
    findingsAbout('Open files').warning(
      `Only ${most} files and connections may be open at once, which few visitors use up.`,
      'Raise the limit: LimitNOFILE=65536 in the systemd unit, or ulimit -n 65536 before starting.',
    ),
  ]
}

async function images(load: () => Promise<unknown>): Promise<Finding> {
  try {
    await load()
    return pictures.good('thumbnails can be made')
  } catch {
    return pictures.warning(
      'The image library does not run on this machine: there are no thumbnails.',
      'Look whether the files of the release are complete, or start with --disableThumbnails to say that it is meant.',
    )
  }
}

const film = (ffmpeg: string | null): Finding =>
  ffmpeg === null
    ? films.note('ffmpeg is not installed: films get an icon instead of a picture.', 'Install the package ffmpeg.')
    : films.good(`pictures of films are made by ${ffmpeg}`)
