import { Failure } from '../failure.ts'
import { checkedPath } from '../storage/path.ts'
import type { MountFacts } from './store.ts'

/** The part of a tree that is an account's own folder has this name, so no mount can have it. */
export const homeName = 'Home'

/** A name is the first segment of paths and stands in texts for people. Returns it as it is stored. */
export function checkedMountName(text: string, others: readonly Pick<MountFacts, 'name'>[]): string {
  const name = text.trim().normalize('NFC')
  const shown = JSON.stringify(name)
  if (name === '') throw new Failure('invalid', 'the name is empty')
  if (/[/\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069\u200e\u200f]/u.test(name))
    throw new Failure('invalid', `the name ${shown} has a slash, or characters that cannot be shown`)
  if (!isNameOfFolder(name)) throw new Failure('invalid', `${shown} cannot be a name`)
  if (folded(name) === folded(homeName))
    throw new Failure('invalid', `${shown} is what the own folder of each account is called`)
  const taken = others.find((other) => folded(other.name) === folded(name))
  if (taken !== undefined) throw new Failure('already-exists', `the name ${JSON.stringify(taken.name)} is taken`)
  return name
}

/** Not '.', '..', nor a name that is reserved in every folder. */
function isNameOfFolder(name: string): boolean {
  try {
    return checkedPath(`/${name}`) === `/${name}`
  } catch {
    return false
  }
}

const folded = (name: string): string => name.normalize('NFC').toLowerCase()
