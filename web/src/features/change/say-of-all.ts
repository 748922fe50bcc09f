import { t } from '../../i18n/i18n.ts'

type Deed = 'deleted' | 'moved' | 'copied' | 'movedBack' | 'heldCopy' | 'heldCut'

/** One thing by its name, several by their number. The plural form 'one' will not do: in Russian it also means 21. */
export const sayOfAll = (
  deed: Deed,
  entries: readonly { name: string }[],
  words: { folder: string } = { folder: '' },
): string =>
  entries.length === 1
    ? t(`change.${deed}One`, { ...words, name: entries[0]?.name ?? '' })
    : t(`change.${deed}`, { ...words, count: entries.length })
