import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { Failure } from '../failure.ts'
import { kindByContent, kindByName } from '../files/kinds.ts'
import type { OpenFile } from '../storage/port.ts'
import { cacheIn, noCache } from './cache.ts'
import { nameOfRecipe, type Recipe, recipeFor, recipeForStill, type Size, sizes, type Taste } from './recipes.ts'
import { resize } from './resize.ts'
import type { Still } from './still.ts'
import { workshop } from './workshop.ts'

export interface PreviewOptions {
  /** Where pictures are kept; nowhere if undefined. */
  cacheFolder: string | undefined
  cacheSize: number
  imageProcessors: number
  maxImagePixels: number
  disableThumbnails: boolean
  disablePreviewResize: boolean
  /** How to take pictures out of films, where the machine can. */
  still: Still | undefined
}

export interface Preview {
  version: string
  contentType: string
  make(signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>
}

export interface Previews {
  /** How to make a preview of a file, which must stay open until it is made; undefined where the file itself will do. */
  of(file: OpenFile, size: Size, taste: Taste): Preview | undefined
}

export function previewsWith(options: PreviewOptions): Previews {
  const { cacheFolder, cacheSize, imageProcessors, maxImagePixels: maxPixels } = options
  const cache = cacheFolder === undefined ? noCache : cacheIn(cacheFolder, cacheSize)
  const produce = workshop<Uint8Array<ArrayBuffer>>(Math.min(imageProcessors, availableParallelism()))
  const isOff = { thumb: options.disableThumbnails, big: options.disablePreviewResize }

  const pictureRecipe = (file: OpenFile, size: Size, head: Uint8Array, taste: Taste) =>
    isOff[size] ? undefined : recipeFor(size, file.entry.name, head, taste)

  return {
    of(file, size, taste) {
      const head = file.head()
      const kind = kindByName(file.entry.name, file.entry.size) ?? kindByContent(head, file.entry.size)
      const take = kind === 'video' && !isOff[size] ? options.still : undefined
      if (kind !== 'image' && take === undefined) throw noPreview()
      const recipe = take ? recipeForStill(size, taste) : pictureRecipe(file, size, head, taste)
      if (recipe === undefined) return undefined
      const key = keyOf(file, head, recipe)
      return {
        version: `"${key.slice(0, 32)}"`,
        contentType: `image/${recipe.format}`,
        async make(signal) {
          const kept = await cache.read(key)
          if (kept !== undefined) return kept
          return produce(key, signal, async (abandoned) => {
            const picture = await resize(take ? await stillFile(file, take, abandoned) : file, recipe, { maxPixels })
            void cache.write(key, picture)
            return picture
          })
        },
      }
    },
  }
}

export function parseSize(text: string): Size {
  const size = sizes.find((known) => known === text)
  if (size === undefined) throw new Failure('invalid', `${text} is not a valid PreviewSize, try [thumb, big]`)
  return size
}

export const noPreview = () => new Failure('no-preview', 'There is no preview of this')

/** The picture taken out of a film, as if it were the file. */
async function stillFile(film: OpenFile, take: Still, signal: AbortSignal): Promise<OpenFile> {
  const picture = await take(film, signal)
  return { ...film, entry: { ...film.entry, size: picture.length }, content: new Blob([picture]) }
}

/** Another file, or the same one after any change, has another key; so nothing has to be thrown away. */
function keyOf({ entry }: OpenFile, head: Uint8Array, recipe: Recipe): string {
  const { device, inode, size, seconds, nanoseconds } = entry
  const hash = createHash('sha256').update([device, inode, size, seconds, nanoseconds, nameOfRecipe(recipe)].join(' '))
  // Times can be set back to what they were; the beginning of an image tells its size, its palette, its camera's clock.
  return hash.update(head).digest('hex')
}
