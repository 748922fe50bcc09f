import { t } from '../../i18n/i18n.ts'

type Message =
  | 'deleted'
  | 'trashed'
  | 'restored'
  | 'takenBack'
  | 'moved'
  | 'copied'
  | 'movedBack'
  | 'heldCopy'
  | 'heldCut'

/** One entry by its name, several by their number. The plural form 'one' will not do: in Russian it also means 21. */
export const textForAll = (
  message: Message,
  entries: readonly { name: string }[],
  words: { folder: string } = { folder: '' },
): string =>
  entries.length === 1
    ? t(`change.${message}One`, { ...words, name: entries[0]?.name ?? '' })
    : t(`change.${message}`, { ...words, count: entries.length })
