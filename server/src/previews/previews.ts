import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { limitOf } from '../concurrency/limit.ts'
import { singleFlight } from '../concurrency/single-flight.ts'
import { kindByContent, kindByName } from '../entries/kinds.ts'
import { Failure } from '../failure.ts'
import type { Entry, FileHead, OpenFile } from '../storage/port.ts'
import { cacheIn, noCache } from './cache.ts'
import { DecoderLost, inMemory, withDescriptor } from './decoder-process.ts'
import { type DecoderOptions, decodersWith } from './decoders.ts'
import { failureMemory } from './failure-memory.ts'
import { nameOfRecipe, type Recipe, recipeFor, recipeForStill, type Size, sizes, type Wanted } from './recipes.ts'
import { NoStill, type Still } from './still.ts'

export interface PreviewOptions {
  /** Where pictures are kept; nowhere if undefined. */
  cacheFolder: string | undefined
  cacheSize: number
  imageProcessors: number
  maxImagePixels: number
  disableThumbnails: boolean
  disablePreviewResize: boolean
  /** Takes pictures from films; undefined where ffmpeg is not installed. */
  still: Still | undefined
  decoders?: Partial<DecoderOptions> | undefined
}

export interface Preview {
  version: string
  contentType: string
  /** Throws `changed-meanwhile` where `reopen` leads to another version of the file than the preview is of. */
  make(request: PreviewRequest): Promise<Uint8Array<ArrayBuffer>>
}

/** Read only where the picture is not in the cache: the signal of a request costs more than to send it from there. */
interface PreviewRequest {
  /** Aborts when the client leaves. */
  signal: AbortSignal
  /** For a fair share of the decoders. */
  client: string
  /** Opens the file again when a decoder is free: many previews wait, and none of them holds a descriptor. */
  reopen(): Promise<OpenFile>
}

type Identify = (entry: Entry) => string

export interface Previews {
  /** How to make a preview of a file; undefined where the file itself will do. `identify` tells which file and version it is. */
  of(file: FileHead, identify: Identify, size: Size, wanted: Wanted): Preview | undefined
  /** Ends the decoders. */
  close(): void
}

/** More than a screen full of thumbnails for many people. */
const waiting = { mostWaiting: 1000, mostWaitingPerKey: 1000, timeout: 120_000 }

export function previewsWith(options: PreviewOptions): Previews {
  const { cacheFolder, cacheSize, imageProcessors, maxImagePixels: maxPixels } = options
  const cache = cacheFolder === undefined ? noCache : cacheIn(cacheFolder, cacheSize)
  const most = Math.min(imageProcessors, availableParallelism())
  const places = limitOf({ what: 'previews', most, mostPerKey: most, ...waiting })
  const decoders = decodersWith(options.decoders)
  const once = singleFlight<Uint8Array<ArrayBuffer>>()
  const failures = failureMemory()
  const { disableThumbnails, disablePreviewResize } = options
  const isOff = {
    thumb: disableThumbnails,
    big: disablePreviewResize,
    512: disableThumbnails,
    1024: disableThumbnails,
  }

  const pictureRecipe = ({ entry, head }: FileHead, size: Size, wanted: Wanted) =>
    isOff[size] ? undefined : recipeFor(size, entry.name, head, wanted)

  /** The picture of an open file, or of a still from a film. */
  async function decode(file: OpenFile, recipe: Recipe, take: Still | undefined, abandoned: AbortSignal) {
    const task = { ...recipe, maxPixels }
    if (take === undefined)
      return withDescriptor(file, (descriptor) => decoders.decode(task, descriptor, file.entry.size))
    const bytes = await take(file, abandoned)
    return inMemory(bytes, (descriptor) => decoders.decode(task, descriptor, bytes.length))
  }

  return {
    of(file, identify, size, wanted) {
      const { entry, head } = file
      const kind = kindByName(entry.name, entry.size) ?? kindByContent(head, entry.size)
      const take = kind === 'video' && !isOff[size] ? options.still : undefined
      if (kind !== 'image' && take === undefined) throw noPreview()
      const recipe = take ? recipeForStill(size, wanted) : pictureRecipe(file, size, wanted)
      if (recipe === undefined) return undefined
      const key = keyOf(identify(entry), head, recipe)
      return {
        version: `"${key.slice(0, 32)}"`,
        contentType: `image/${recipe.format}`,
        async make(request) {
          const kept = await cache.read(key)
          if (kept !== undefined) return kept
          const { signal, client, reopen } = request
          if (failures.has(key)) throw noPreview()
          return once(key, signal, async (abandoned) => {
            using _place = await places.enter(client, { signal: abandoned })
            const opened = await reopen()
            try {
              if (keyOf(identify(opened.entry), await opened.head(), recipe) !== key)
                throw new Failure('changed-meanwhile', 'The file was changed meanwhile')
              const picture = await decode(opened, recipe, take, abandoned)
              void cache.write(key, picture)
              return picture
            } catch (error) {
              if (error instanceof DecoderLost || error instanceof NoStill) failures.add(key)
              throw error instanceof DecoderLost ? noPreview() : error
            } finally {
              opened.close()
            }
          })
        },
      }
    },
    close: () => decoders.close(),
  }
}

export function parseSize(text: string): Size {
  const size = sizes.find((known) => known === text)
  if (size === undefined) throw new Failure('invalid', `${text} is not a valid PreviewSize, try [thumb, big]`)
  return size
}

export const noPreview = () => new Failure('no-preview', 'There is no preview of this')

/** Another file, or another version of it, has another key; so no entry of the cache becomes invalid. */
function keyOf(identity: string, head: Uint8Array, recipe: Recipe): string {
  const hash = createHash('sha256').update(`${identity}\0${nameOfRecipe(recipe)}\0`)
  // Times can be set back to what they were; the beginning of an image tells its size, its palette, its camera's clock.
  return hash.update(head).digest('hex')
}
