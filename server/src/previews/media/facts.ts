import { extensionOf, type MediaFacts } from '@filestead/contract'
import { sniffMediaType } from '../../entries/sniff.ts'
import { LruMap } from '../../lru-map.ts'
import type { Entry, OpenFile } from '../../storage/port.ts'
import { bytesOf } from './bytes.ts'
import { filmReaders } from './films.ts'
import { imageReaders, readSvg } from './images.ts'

/**
 * The facts of a picture or film, from its headers alone: no pixel is decoded, so it takes no decoder. Undefined where the
 * file is neither, or damaged.
 */
async function mediaFactsOf(file: OpenFile): Promise<MediaFacts | undefined> {
  const type = sniffMediaType(await file.head())
  const read = isDrawing(file.entry, type) ? readSvg : (imageReaders[type] ?? filmReaders[type])
  if (read === undefined) return undefined
  try {
    const facts = await read(bytesOf(file))
    return isPlausible(facts) ? facts : undefined
  } catch {
    // A parser that leaves the bytes it has, or gives up.
    return undefined
  }
}

const isDrawing = ({ name }: Entry, type: string): boolean =>
  extensionOf(name).toLowerCase() === '.svg' && (type.startsWith('text/') || type === 'image/svg+xml')

function isPlausible({ width, height, duration }: MediaFacts): boolean {
  const isSize = (value: number) => Number.isFinite(value) && value > 0 && value < 1e7
  return isSize(width) && isSize(height) && (duration === undefined || (duration >= 0 && duration < 1e7))
}

/** A few megabytes at most. */
const mostKept = 10_000

/** Facts by file and version. */
export function mediaMemory() {
  const kept = new LruMap<string, MediaFacts | null>(mostKept)
  return {
    /** `identify` tells which file and version it is, `open` is called where the facts of that are not known. */
    async of(
      entry: Entry,
      identify: (entry: Entry) => string,
      open: () => Promise<OpenFile>,
    ): Promise<MediaFacts | undefined> {
      const key = identify(entry)
      const known = kept.get(key)
      if (known !== undefined) return known ?? undefined
      const file = await open()
      try {
        const facts = await mediaFactsOf(file)
        kept.set(identify(file.entry), facts ?? null)
        return facts
      } finally {
        file.close()
      }
    },
  }
}

export type MediaMemory = ReturnType<typeof mediaMemory>
