import { join, nameOf, parentOf } from '@filestead/contract'
import { Fragment, type UIEvent, useState } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { addressOf, folderAddress } from '../../navigation/addresses.ts'
import { Link } from '../../navigation/Link.tsx'
import { navigate } from '../../navigation/location.ts'
import type { Hit } from '../../server/queries/search.ts'
import { IconButton } from '../../ui/Button.tsx'
import { FileMark } from '../../ui/Icon.tsx'
import { revealWhenListed } from '../../workspace/workspace.ts'
import { markOf } from '../marks/mark-of.ts'
import styles from './Results.module.css'
import { highlight, visibleTerms } from './terms.ts'

/** So many at first, and so many more each time the end comes near. */
const page = 50
const nearEnd = 100

interface ResultsProps {
  folder: string
  query: string
  hits: readonly Hit[]
  onDone: () => void
}

export function Results({ folder, query, hits, onDone }: ResultsProps) {
  const { t } = useTranslation()
  const [shown, setShown] = useState(page)
  const terms = visibleTerms(query)

  function onScroll({ currentTarget: { scrollHeight, scrollTop, clientHeight } }: UIEvent<HTMLElement>) {
    if (scrollHeight - scrollTop - clientHeight < nearEnd && shown < hits.length) setShown(shown + page)
  }

  return (
    <ul id="result" aria-label={t('search.list')} className={styles.list} onScroll={onScroll}>
      {hits.slice(0, shown).map((hit) => (
        <Result key={hit.path} folder={folder} hit={hit} terms={terms} onDone={onDone} />
      ))}
    </ul>
  )
}

interface ResultProps {
  folder: string
  hit: Hit
  terms: readonly string[]
  onDone: () => void
}

function Result({ folder, hit, terms, onDone }: ResultProps) {
  const { t } = useTranslation()
  const path = join(folder, hit.path)
  const relativeParent = parentOf(`/${hit.path}`).slice(1)

  async function showInFolder() {
    revealWhenListed(parentOf(path), nameOf(path))
    if (await navigate(folderAddress(parentOf(path)))) onDone()
  }

  return (
    <li className={styles.item} data-kind={hit.dir ? 'dir' : 'file'}>
      <Link
        to={addressOf({ path, isDir: hit.dir })}
        className={styles.hit}
        aria-label={hit.path}
        data-item=""
        data-kind={hit.dir ? 'dir' : 'file'}
        onClick={(event) => {
          if (!event.ctrlKey && !event.metaKey && !event.shiftKey) onDone()
        }}
      >
        <FileMark name={markOf({ name: hit.path, isDir: hit.dir })} />
        <span className={styles.text}>
          {/* Read as the path it is; the style sheet lifts the name above the folder. */}
          {relativeParent !== '' && <bdi className={styles.path}>{relativeParent}/</bdi>}
          <bdi className={styles.name}>
            {highlight(nameOf(`/${hit.path}`), terms).map(({ text, isMatch }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one name never move
              <Fragment key={index}>{isMatch ? <mark>{text}</mark> : text}</Fragment>
            ))}
          </bdi>
        </span>
      </Link>
      <IconButton icon="folder" label={t('search.showInFolder')} small onClick={() => void showInFolder()} />
    </li>
  )
}
