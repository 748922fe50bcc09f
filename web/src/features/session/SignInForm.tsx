import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { type Api, ApiError } from '../../api/client.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import styles from './SignInForm.module.css'
import { storeToken } from './token.ts'

type Attempt = { status: 'none' } | { status: 'running' } | { status: 'failed'; error: unknown }

export function SignInForm({ api, onSignedIn }: { api: Api; onSignedIn: () => Promise<void> }) {
  const [attempt, setAttempt] = useState<Attempt>({ status: 'none' })
  const [isShown, setIsShown] = useState(false)
  const [isCapsLockOn, setIsCapsLockOn] = useState(false)
  const username = useRef<HTMLInputElement>(null)
  const password = useRef<HTMLInputElement>(null)
  const isRefused = attempt.status === 'failed' && isWrongCredentials(attempt.error)

  useEffect(() => username.current?.focus(), [])

  useEffect(() => {
    if (isRefused) password.current?.select()
  }, [isRefused])

  async function signIn(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (attempt.status === 'running') return
    const form = new FormData(event.currentTarget)
    setAttempt({ status: 'running' })
    try {
      const credentials = { username: String(form.get('username')), password: String(form.get('password')) }
      storeToken(await api.sessions.signIn({ ...credentials, recaptcha: '' }))
      await onSignedIn()
      setAttempt({ status: 'none' })
    } catch (error) {
      setAttempt({ status: 'failed', error })
    }
  }

  const watchCapsLock = (event: KeyboardEvent) => setIsCapsLockOn(event.getModifierState('CapsLock'))

  return (
    <form aria-label="Login" className={styles.form} onSubmit={signIn}>
      <div className={styles.field}>
        <label htmlFor="username">Username</label>
        <input
          ref={username}
          className={styles.input}
          id="username"
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          dir="auto"
          required
        />
      </div>
      <div className={styles.field}>
        <label htmlFor="password">Password</label>
        <div className={styles.withToggle}>
          <input
            ref={password}
            className={styles.input}
            id="password"
            name="password"
            type={isShown ? 'text' : 'password'}
            autoComplete="current-password"
            autoCapitalize="none"
            spellCheck={false}
            aria-invalid={isRefused}
            aria-describedby={isRefused ? 'sign-in-failure' : undefined}
            onKeyDown={watchCapsLock}
            onKeyUp={watchCapsLock}
            onBlur={() => setIsCapsLockOn(false)}
            required
          />
          <button
            type="button"
            className={styles.toggle}
            aria-label="Show password"
            title="Show password"
            aria-pressed={isShown}
            onClick={() => setIsShown(!isShown)}
          >
            <Icon name="eye" />
          </button>
        </div>
        {isCapsLockOn && (
          <p className={styles.hint} role="status">
            <Icon name="warning" small />
            Caps Lock is on
          </p>
        )}
      </div>
      {attempt.status === 'failed' && (
        <p className={styles.failure} role="alert" id="sign-in-failure">
          <Icon name="warning" small />
          {explain(attempt.error)}
        </p>
      )}
      <Button type="submit" look="primary" isBusy={attempt.status === 'running'}>
        Login
      </Button>
    </form>
  )
}

const isWrongCredentials = (error: unknown) => error instanceof ApiError && error.status === 403

function explain(error: unknown): string {
  if (isWrongCredentials(error)) return 'Wrong credentials'
  if (error instanceof ApiError && error.status === 0) return 'No connection to the server'
  if (error instanceof ApiError && error.status === 429) return 'Too many attempts. Wait a moment, then try again.'
  return 'The server could not sign you in'
}
