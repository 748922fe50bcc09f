import type { FolderResource } from '@filestead/contract'
import { useCallback, useEffect, useState } from 'react'
import { type Api, ApiError } from '../../api/client.ts'
import { EntryList } from '../../features/browse/EntryList.tsx'
import { SignInForm } from '../../features/session/SignInForm.tsx'
import { forgetToken, storedToken } from '../../features/session/token.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Hillside } from './Hillside.tsx'
import styles from './StartScreen.module.css'

interface StartScreenProps {
  api: Api
  name: string
  version: string
  logo: string
}

type View =
  | { at: 'opening' }
  | { at: 'sign-in' }
  | { at: 'folder'; folder: FolderResource }
  | { at: 'failure'; reason: string }

/** Shows that the product runs: sign in, and see what the served folder holds. */
export function StartScreen({ api, name, version, logo }: StartScreenProps) {
  const [view, setView] = useState<View>({ at: storedToken() === null ? 'sign-in' : 'opening' })

  const open = useCallback(async () => {
    try {
      setView({ at: 'folder', folder: await api.resources.readRoot() })
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        forgetToken()
        setView({ at: 'sign-in' })
      } else setView({ at: 'failure', reason: explain(error) })
    }
  }, [api])

  async function signOut() {
    // Whoever signs out wants to be gone, also from a server that no longer answers.
    await api.sessions.signOut().catch(() => undefined)
    forgetToken()
    setView({ at: 'sign-in' })
  }

  useEffect(() => {
    if (storedToken() !== null) void open()
  }, [open])

  const running = version === '' ? 'The server is running.' : `The server is running version ${version}.`
  const count = view.at === 'folder' ? toCount(view.folder.items.length) : ''

  return (
    <main className={styles.screen} aria-busy={view.at === 'opening'} data-view={view.at}>
      <Hillside />
      {view.at === 'sign-in' && (
        <div className={styles.card} id="login">
          <header className={styles.welcome}>
            <img className={styles.logo} src={logo} alt="" />
            <h1>{name}</h1>
            <p className={styles.running}>{running}</p>
          </header>
          <SignInForm api={api} onSignedIn={open} />
        </div>
      )}
      {(view.at === 'folder' || view.at === 'failure') && (
        <div className={styles.sheet}>
          <header className={styles.bar}>
            <img className={styles.logo} src={logo} alt="" />
            <h1>{name}</h1>
            <Button look="quiet" onClick={signOut}>
              <Icon name="leave" />
              Logout
            </Button>
          </header>
          {view.at === 'folder' ? (
            <section className={styles.content} aria-labelledby="folder-name">
              <h2 ref={focusOnArrival} id="folder-name" tabIndex={-1}>
                My files
              </h2>
              {view.folder.items.length > 0 ? (
                <EntryList entries={view.folder.items} />
              ) : (
                <>
                  <h2 className={styles.blank}>It feels lonely here...</h2>
                  <p>What you put into the served folder appears in this list.</p>
                </>
              )}
            </section>
          ) : (
            <div className={styles.failure}>
              <p role="alert">{view.reason}</p>
              <Button look="primary" onClick={open}>
                Try again
              </Button>
            </div>
          )}
          {view.at === 'folder' && (
            <footer className={styles.status}>
              <p>{count}</p>
              <p className={styles.running}>{running}</p>
            </footer>
          )}
        </div>
      )}
      <p className={styles.live} role="status" id="live-status">
        {count}
      </p>
    </main>
  )
}

// The form that had the focus is gone. Without a new place the keyboard would start again at the top of the window.
const focusOnArrival = (heading: HTMLElement | null) => heading?.focus()

const toCount = (items: number) => (items === 1 ? '1 item' : `${items} items`)

function explain(error: unknown): string {
  if (error instanceof ApiError && error.status === 0) return 'No connection to the server'
  if (error instanceof ApiError && error.status === 403) return "You don't have permissions to see this"
  return 'The server could not read this folder'
}
