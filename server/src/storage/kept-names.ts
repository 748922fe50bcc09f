import { isUtf8 } from 'node:buffer'
import { bytesOf } from './exact-names.ts'
import type { VirtualPath } from './path.ts'
import { isId } from './store-info.ts'

/** In bytes, so that the info file has a name that also encrypted file systems take. */
const longestName = 130

/** The name of a kept thing: known in advance, its own, and ending like the old one. Always UTF-8. */
export function keptName(original: string | Uint8Array, id: string): string {
  if (!isId(id)) throw new Error(`${JSON.stringify(id)} cannot be part of a name`)
  const name = plain(original)
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 && /^\.[A-Za-z0-9]{1,16}$/.test(name.slice(dot)) ? name.slice(dot) : ''
  const end = `.${id}${extension}`
  return `${shortened(name.slice(0, name.length - extension.length), longestName - end.length)}${end}`
}

/** The id in such a name, where no info file tells it. */
export const idInName = (name: string): string | undefined =>
  /\.([A-Za-z0-9-]{16,100})(?:\.[A-Za-z0-9]{1,16})?$/.exec(name)?.[1]

function plain(name: string | Uint8Array): string {
  const bytes = typeof name === 'string' ? bytesOf(name) : name
  return isUtf8(bytes) ? Buffer.from(bytes).toString() : Buffer.from(bytes).toString().replaceAll('\ufffd', '_')
}

/** Cut between two characters. */
function shortened(text: string, most: number): string {
  let [size, result] = [0, '']
  for (const character of text) {
    size += Buffer.byteLength(character)
    if (size > most) break
    result += character
  }
  return result
}

/** The name that a thing had, as far as its name in the store tells. */
export function nameBefore(name: string): string {
  const id = idInName(name)
  return (id === undefined ? name : name.replace(`.${id}`, '')) || name
}

/** The id of a thing that another program has put there. */
export const idOfPlace = (place: VirtualPath): string =>
  `x${new Bun.CryptoHasher('sha256').update(Buffer.from(place, 'utf16le')).digest('hex').slice(0, 31)}`
