import { encodePath, type NameEncoding, nameEncodings } from '@filestead/contract'
import { pastOf, pastSearch, type ShownPast } from '../../../navigation/past-address.ts'

/** What of an archive is in view. It stands in the address, so that "Back" leads through it and a reload stays there. */
export interface Place {
  /** The folder in the archive; '/' for the top. */
  inside: string
  /** The file of that folder that is looked at. */
  member: string | null
  /** How names are read that do not say their encoding; null where the server guesses. */
  encoding: NameEncoding | null
  /** The older state of the archive that is looked into; null for the present one. */
  shown: ShownPast | null
}

export function placeOf(search: string): Place {
  const query = new URLSearchParams(search)
  const inside = (query.get('inside') ?? '').split('/').filter((part) => part !== '' && part !== '.' && part !== '..')
  const encoding = nameEncodings.find((known) => known === query.get('encoding')) ?? null
  return { inside: `/${inside.join('/')}`, member: query.get('file') || null, encoding, shown: pastOf({ search }) }
}

/** What follows the address of an archive for a place in it. */
export function placeQuery({ inside, member, encoding, shown }: Place): string {
  const query = [
    shown === null ? [] : pastSearch(shown).slice(1),
    inside === '/' ? [] : `inside=${encodePath(inside)}`,
    member === null ? [] : `file=${encodeURIComponent(member)}`,
    encoding === null ? [] : `encoding=${encoding}`,
  ].flat()
  return query.length === 0 ? '' : `?${query.join('&')}`
}
