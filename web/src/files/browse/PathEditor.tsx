import { join, nameOf, parentOf } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import type { Command } from '../../commands/command.ts'
import { describeFailure } from '../../dialogs/show-failure.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { addressOf, filesPathOf, folderAddress } from '../../navigation/addresses.ts'
import { hrefOf, navigate } from '../../navigation/location.ts'
import { foldersQuery } from '../../server/queries/folders.ts'
import { entriesNamed } from '../../server/queries/resources.ts'
import { sessionSignal, sessionStore } from '../../state/session-scope.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import styles from './PathEditor.module.css'

const isPathEdited = sessionStore(false)

export const goToPath: Command = {
  id: 'go-to-path',
  label: 'tree.goToPath',
  icon: 'edit',
  keys: [{ keys: 'Mod+L' }],
  when: ({ view }) => view === 'listing',
  run: () => isPathEdited.set(true),
}

/** Lies over the breadcrumbs while the path is written. */
export function PathEditor() {
  const isEdited = isPathEdited.use()
  const folder = useWorkspace((workspace) => (workspace.view === 'listing' ? workspace.folder : null))
  // A file, or the settings, end it.
  useEffect(() => {
    if (folder === null) isPathEdited.set(false)
  }, [folder])
  const crumbs = isEdited ? document.querySelector('nav.breadcrumbs') : null
  if (crumbs === null || folder === null) return null
  return createPortal(<PathField path={folder} />, crumbs)
}

/** So many suggestions a list shows without being slow. */
const mostSuggested = 200

/** The path of the folder in view, to be written. Enter goes there, Escape and leaving the field bring the breadcrumbs back. */
function PathField({ path }: { path: string }) {
  const { t } = useTranslation()
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(path === '/' ? '/' : `${path}/`)
  const [error, setError] = useState<string | null>(null)
  const folder = text.endsWith('/') ? pathIn(text) : parentOf(pathIn(text))
  const { data: names = [] } = useQuery({ ...foldersQuery(folder), retry: false })
  const suggested = names.length > mostSuggested ? names.filter((name) => isBegun(name, text)) : names

  useEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [])

  async function go(event: FormEvent) {
    event.preventDefault()
    const wanted = pathIn(text)
    const session = sessionSignal()
    try {
      const [entry] = wanted === '/' ? [] : await entriesNamed(parentOf(wanted), [nameOf(wanted)], session)
      if (entry === undefined && wanted !== '/') return setError(t('tree.noSuchPath'))
      if (await navigate(entry === undefined ? folderAddress('/') : addressOf(entry))) leave()
    } catch (failure) {
      if (!session.aborted) setError(describeFailure(failure))
    }
  }

  return (
    <form className={styles.form} onSubmit={(event) => void go(event)}>
      <input
        ref={field}
        className={styles.field}
        dir="ltr"
        value={text}
        list={id}
        aria-label={t('tree.path')}
        aria-invalid={error !== null}
        aria-describedby={error === null ? undefined : `${id}-error`}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setError(null)
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.preventDefault()
          leave()
        }}
        onBlur={() => isPathEdited.set(false)}
      />
      <datalist id={id}>
        {suggested.slice(0, mostSuggested).map((name) => (
          <option key={name} value={`${join(folder, name)}/`} />
        ))}
      </datalist>
      {error !== null && (
        <span id={`${id}-error`} role="alert" className={styles.error}>
          {error}
        </span>
      )}
    </form>
  )
}

/** Back to the rows, where the keyboard was. */
function leave(): void {
  isPathEdited.set(false)
  requestAnimationFrame(() => document.getElementById('listing')?.focus())
}

/** What was typed as a path. An address of the product is taken as well, as it is copied from the browser. */
function pathIn(text: string): string {
  const typed = text.trim()
  const own = location.origin + hrefOf('/files/')
  if (typed.startsWith(own))
    return filesPathOf({ pathname: new URL(typed).pathname.slice(hrefOf('').length), search: '' })
  return `/${typed.split('/').filter(Boolean).join('/')}`
}

const isBegun = (name: string, text: string): boolean =>
  name.toLocaleLowerCase().startsWith(text.slice(text.lastIndexOf('/') + 1).toLocaleLowerCase())
