import { t } from '../../i18n/i18n.ts'

type Deed =
  | 'change.deleted'
  | 'change.moved'
  | 'change.copied'
  | 'change.movedBack'
  | 'change.heldCopy'
  | 'change.heldCut'

/** One thing by its name, several by their number. The plural form 'one' will not do: in Russian it also means 21. */
export const sayOfAll = (
  deed: Deed,
  entries: readonly { name: string }[],
  words: { folder: string } = { folder: '' },
): string =>
  entries.length === 1
    ? t(`${deed}One`, { ...words, name: entries[0]?.name ?? '' })
    : t(deed, { ...words, count: entries.length })
