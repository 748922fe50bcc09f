import { Fragment } from 'react'
import { currentTag, t } from '../../i18n/i18n.ts'

/** As many names as a sentence carries. */
const most = 3

type Named = readonly { name: string }[]

/** "a.txt, b.txt, c.txt, and 4 more", as the language joins them. */
export const namesOf = (entries: Named): string => inSentence().format(wordsFor(entries))

/** The same, with each name set apart from the sentence around it. */
export const NameList = ({ entries }: { entries: Named }) =>
  inSentence()
    .formatToParts(wordsFor(entries))
    .map(({ type, value }, index) =>
      type === 'element' ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a sentence have no other identity
        <b key={index}>
          <bdi>{value}</bdi>
        </b>
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a sentence have no other identity
        <Fragment key={index}>{value}</Fragment>
      ),
    )

function wordsFor(entries: Named): string[] {
  const shown = entries.slice(0, most).map(({ name }) => name)
  const rest = entries.length - shown.length
  return rest === 0 ? shown : [...shown, t('change.more', { count: rest })]
}

const inSentence = () => new Intl.ListFormat(currentTag(), { type: 'conjunction' })
