import {
  closeSearchPanel,
  findNext,
  findPrevious,
  getSearchQuery,
  replaceAll,
  replaceNext,
  SearchQuery,
  selectMatches,
  setSearchQuery,
} from '@codemirror/search'
import { type EditorView, runScopeHandlers } from '@codemirror/view'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { shownKeys } from '../../commands/command-keys.ts'
import { formatNumber } from '../../i18n/format.ts'
import { type TextKey, useTranslation } from '../../i18n/i18n.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { isRightToLeft } from '../../ui/direction.ts'
import { isComposing } from '../../ui/pressed-key.ts'
import styles from './FindBar.module.css'
import { countMatches, type Matches } from './find-matches.ts'

type Option = 'caseSensitive' | 'wholeWord' | 'regexp'

/** The signs are those of every editor, and the same in every language. */
const options: readonly { option: Option; sign: string; label: TextKey; key: string }[] = [
  { option: 'caseSensitive', sign: 'Aa', label: 'editor.matchCase', key: 'C' },
  { option: 'wholeWord', sign: 'ab', label: 'editor.byWord', key: 'W' },
  { option: 'regexp', sign: '.*', label: 'editor.regexp', key: 'R' },
]

/** Find and replace, in the panel that CodeMirror opens for it. The query itself is CodeMirror's. */
export function FindBar({ view, isReadOnly }: { view: EditorView; isReadOnly: boolean }) {
  const { t } = useTranslation()
  const field = useRef<HTMLInputElement>(null)
  const query = getSearchQuery(view.state)
  const [isReplacing, setIsReplacing] = useState(query.replace !== '')
  const matches = useMatches(view, query)

  useEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [])

  const change = (next: Partial<Record<Option, boolean> & Record<'search' | 'replace', string>>) => {
    const { search, replace, caseSensitive, wholeWord, regexp } = query
    // What is typed is meant as it is: a backslash and an n are no line break.
    const whole = { search, replace, caseSensitive, wholeWord, regexp, literal: true, ...next }
    view.dispatch({ effects: setSearchQuery.of(new SearchQuery(whole)) })
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    if (isComposing(event.nativeEvent)) return
    const { key, shiftKey, altKey } = event
    // Escape, F3 and the other keys that CodeMirror has for its panel.
    if (runScopeHandlers(view, event.nativeEvent, 'search-panel')) return event.preventDefault()
    const isInReplacement = event.target instanceof HTMLInputElement && event.target !== field.current
    const toggled = altKey ? options.find((each) => event.code === `Key${each.key}`) : undefined
    if (toggled !== undefined) change({ [toggled.option]: !query[toggled.option] })
    else if (key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
    else if (isInReplacement) replaceNext(view)
    else if (altKey) {
      selectMatches(view)
      view.focus()
    } else (shiftKey ? findPrevious : findNext)(view)
    event.preventDefault()
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a form would be sent by Enter
    <div
      role="search"
      aria-label={t('editor.find')}
      // The text around it runs from left to right in every language.
      dir={isRightToLeft() ? 'rtl' : 'ltr'}
      className={styles.bar}
      onKeyDown={onKeyDown}
    >
      <div className={styles.line}>
        <span className={styles.field} data-bad={matches.total === 0 && !matches.isMore && query.search !== ''}>
          <input
            ref={field}
            // CodeMirror gives the focus back to this field when the keys of Find are pressed again.
            {...{ 'main-field': 'true' }}
            type="text"
            dir="auto"
            aria-label={t('editor.find')}
            placeholder={t('editor.find')}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={query.search}
            onChange={(event) => change({ search: event.target.value })}
          />
          <span role="status" className={styles.count}>
            {query.search !== '' && <Count matches={matches} />}
          </span>
          {options.map(({ option, sign, label, key }) => (
            <button
              key={option}
              type="button"
              className={styles.option}
              data-option={option}
              data-sign={sign}
              aria-label={t(label)}
              data-tip={t(label)}
              data-keys={shownKeys(`Alt+${key}`)}
              aria-pressed={query[option]}
              onClick={() => change({ [option]: !query[option] })}
            />
          ))}
        </span>
        <span className={styles.group}>
          <IconButton
            small
            icon="arrow-up"
            label={t('editor.findPrevious')}
            hint={shownKeys('Shift+Enter')}
            onClick={() => findPrevious(view)}
          />
          <IconButton
            small
            icon="arrow-down"
            label={t('editor.findNext')}
            hint={shownKeys('Enter')}
            onClick={() => findNext(view)}
          />
          {!isReadOnly && (
            <IconButton
              small
              icon="edit"
              label={t('editor.showReplace')}
              aria-pressed={isReplacing}
              onClick={() => setIsReplacing(!isReplacing)}
            />
          )}
        </span>
        <span className={styles.gap} />
        <IconButton
          small
          icon="x"
          label={t('editor.closeFind')}
          hint="Esc"
          onClick={() => {
            closeSearchPanel(view)
            view.focus()
          }}
        />
      </div>
      {isReplacing && !isReadOnly && (
        <div className={styles.line}>
          <span className={styles.field}>
            <input
              type="text"
              dir="auto"
              aria-label={t('editor.replace')}
              placeholder={t('editor.replace')}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={query.replace}
              onChange={(event) => change({ replace: event.target.value })}
            />
          </span>
          <Button size="small" look="line" disabled={matches.total === 0} onClick={() => replaceNext(view)}>
            {t('editor.replaceOne')}
          </Button>
          <Button size="small" look="line" disabled={matches.total === 0} onClick={() => replaceAll(view)}>
            {t('editor.replaceAll')}
          </Button>
        </div>
      )}
    </div>
  )
}

function Count({ matches: { total, isMore, at } }: { matches: Matches }) {
  const { t } = useTranslation()
  if (total === 0 && !isMore) return t('editor.noMatches')
  const shown = `${formatNumber(total)}${isMore ? '+' : ''}`
  return at === 0 ? shown : t('editor.matchOf', { at: formatNumber(at), total: shown })
}

/** Counted after a pause, so that each letter is shown before the matches of it are looked for. */
function useMatches(view: EditorView, query: SearchQuery): Matches {
  const { state } = view
  const [matches, setMatches] = useState<Matches>(() => countMatches(state, query))
  useEffect(() => {
    const timer = setTimeout(() => setMatches(countMatches(state, query)), 60)
    return () => clearTimeout(timer)
  }, [state, query])
  return matches
}
