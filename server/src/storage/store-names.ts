import type { KeepStore } from '@filestead/contract'
import { namesKept } from './reserved-names.ts'

/** The folders at the top of a file system in which displaced things lie. Desktops find the trash by its name. */
export const storeNames: Readonly<Record<KeepStore, string>> = {
  trash: `.Trash-${process.geteuid?.() ?? 0}`,
  versions: '.filestead-versions',
}

/** The same at the root of a mount on a server elsewhere, where the account of this one means nothing. */
export const remoteStoreNames: Readonly<Record<KeepStore, string>> = {
  trash: '.filestead-trash',
  versions: storeNames.versions,
}

const isSpeltSo = namesKept([...Object.values(storeNames), ...Object.values(remoteStoreNames)], [])

/** Nearly every name is settled by its first character. */
const mayBe = /^[.\p{Default_Ignorable_Code_Point}]/u

/** No request can name one, no listing shows one; in every spelling that a volume may take for it. */
export const isStoreName = (name: string): boolean => mayBe.test(name) && isSpeltSo(name)
