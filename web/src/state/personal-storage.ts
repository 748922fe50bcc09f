/**
 * What a browser keeps for a user from one page to the next: names of files, unsaved texts, unfinished uploads. Signing
 * out removes it. A session that was cut off leaves it to the same user; the sign-in of another user removes it.
 * What belongs to the device, such as the width of the sidebar, is kept without this.
 */

const prefix = 'filestead.my.'
const ownerKey = 'filestead.owner'
/** Tells the other tabs that the session was signed out, and did not run out. */
const signedOutKey = 'filestead.signed-out'
/** The keys of 1.0.0. */
const formerKeys = /^(unsavedText|filestead\.(film-places|book-places|destinations\..*))$/

/** A guest is no person: what was kept for one is neither shown to guests nor removed. */
let isShut = false

const removals = new Set<() => unknown>()

/** For what is kept elsewhere than in a Storage. */
export function onPersonLeft(remove: () => unknown): void {
  removals.add(remove)
}

/** A name of its own in a Storage, under which something personal is kept. */
export function personalItem(name: string, storage: () => Storage = () => localStorage) {
  const key = prefix + name
  return {
    key,
    read: (): string | null => (isShut ? null : storage().getItem(key)),
    /** Throws where the storage is full. */
    write(value: string): void {
      if (!isShut) storage().setItem(key, value)
    },
    /** A full storage keeps nothing, rather than what was kept before. */
    note(value: string): void {
      if (!isShut) note(storage(), key, value)
    },
    remove(): void {
      if (!isShut) storage().removeItem(key)
    },
  }
}

/** A session of this owner begins: what was kept for another one is removed. Null for a guest. */
export function claimStorage(owner: string | null): void {
  isShut = owner === null
  if (owner === null) return
  localStorage.removeItem(signedOutKey)
  const wereOthers = [localStorage, sessionStorage].filter((storage) => {
    const before = storage.getItem(ownerKey)
    if (before !== owner) note(storage, ownerKey, owner)
    removeItems(storage, formerKeys)
    return before !== null && before !== owner
  })
  if (wereOthers.includes(localStorage)) void removeShared()
  if (wereOthers.includes(sessionStorage)) removeItems(sessionStorage, personal)
}

/** The session is signed out. Resolves when everything is removed. */
export function releaseStorage(): Promise<unknown> {
  note(localStorage, signedOutKey, '1')
  removeItems(sessionStorage, personal)
  return removeShared()
}

/** Did the session that another tab has ended end by signing out? */
export const wasSignedOut = (): boolean => localStorage.getItem(signedOutKey) !== null

const personal = /^filestead\.my\./

/** For what can be done without: a full storage must not prevent signing in or out, nor opening a folder. */
export function note(storage: Storage, key: string, value: string): void {
  try {
    storage.setItem(key, value)
  } catch {
    storage.removeItem(key)
  }
}

async function removeShared(): Promise<void> {
  removeItems(localStorage, personal)
  await Promise.allSettled([...removals].map((remove) => remove()))
}

function removeItems(storage: Storage, which: RegExp): void {
  for (const key of Object.keys(storage)) if (which.test(key)) storage.removeItem(key)
}
