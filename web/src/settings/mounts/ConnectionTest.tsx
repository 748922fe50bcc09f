import type { AddressCheck, Mount } from '@filestead/contract'
import { useEffect, useRef, useState } from 'react'
import { describeFailure } from '../../dialogs/show-failure.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { checkAddress } from '../../server/queries/mounts.ts'
import { Button } from '../../ui/Button.tsx'
import { FailureNote } from '../../ui/FailureNote.tsx'
import { Icon } from '../../ui/Icon.tsx'
import styles from './ConnectionTest.module.css'
import { addressOf, checkStorage, type StorageFields } from './storage-fields.ts'
import { Weaknesses } from './Weaknesses.tsx'

interface ConnectionTestProps {
  /** The root folder that is being changed. */
  mount: Mount | null
  value: StorageFields
  /** Why the server did not take it when it was saved. */
  refusal: string | undefined
  onTested(): void
  /** Undefined where nothing can be changed. */
  onHostKey: ((hostKey: string) => void) | undefined
}

const invalid = '[aria-invalid="true"]'

interface Result extends AddressCheck {
  /** That it is about. */
  address: string
}

/** Asks the server to look at an address before it is saved, and shows what it found. */
export function ConnectionTest({ mount, value, refusal, onTested, onHostKey }: ConnectionTestProps) {
  const { t } = useTranslation()
  const [result, setResult] = useState<Result | null>(null)
  const [asked, setAsked] = useState<string | null>(null)
  const place = useRef<HTMLDivElement>(null)
  const address = addressOf(value)
  const isBusy = asked !== null
  // What was found at another address says nothing about this one.
  const found = result?.address === address ? result : null

  // It appears below the button, where the bar that saves may lie over it.
  useEffect(() => {
    if (refusal !== undefined || found !== null) place.current?.scrollIntoView({ block: 'nearest' })
  }, [refusal, found])

  async function test(wanted: StorageFields) {
    onTested()
    if (Object.keys(checkStorage(wanted)).length > 0) {
      // By then what is wrong is marked.
      requestAnimationFrame(() => place.current?.closest('form')?.querySelector<HTMLElement>(invalid)?.focus())
      return
    }
    const about = addressOf(wanted)
    setAsked(about)
    const check = await checkAddress(about, mount?.id).catch((error: unknown) => ({
      ...{ refusal: describeFailure(error), weaknesses: [] },
    }))
    setAsked((current) => (current === about ? null : current))
    setResult({ ...check, address: about })
  }

  function accept(hostKey: string) {
    onHostKey?.(hostKey)
    void test({ ...value, sftp: { ...value.sftp, hostKey } })
  }

  return (
    <div className={styles.test}>
      <div>
        <Button look="line" icon="activity" isBusy={isBusy} onClick={() => void test(value)}>
          {t('settings.mounts.test')}
        </Button>
      </div>
      <div ref={place} role="status" className={styles.result}>
        {found === null && refusal !== undefined && <FailureNote>{sentence(refusal)}</FailureNote>}
        {found !== null && (
          <Found result={found} isNewKey={value.sftp.hostKey.trim() === ''} onAccept={onHostKey && accept} />
        )}
      </div>
    </div>
  )
}

interface FoundProps {
  result: Result
  /** No key was confirmed before, so that this one is a question and not a danger. */
  isNewKey: boolean
  onAccept: ((hostKey: string) => void) | undefined
}

function Found({ result: { refusal, hostKey, weaknesses }, isNewKey, onAccept }: FoundProps) {
  const { t } = useTranslation()
  if (hostKey !== undefined)
    return (
      <>
        {refusal !== undefined && !isNewKey && <FailureNote>{sentence(refusal)}</FailureNote>}
        <fieldset aria-label={t('settings.mounts.hostKeyTitle')} className={styles.key}>
          <strong>{t('settings.mounts.hostKeyTitle')}</strong>
          <p>{t('settings.mounts.hostKeyText')}</p>
          <code dir="ltr">{hostKey}</code>
          <p>{t('settings.mounts.hostKeyCompare')}</p>
          <code dir="ltr">ssh-keygen -l -f /etc/ssh/ssh_host_ed25519_key.pub</code>
          {onAccept !== undefined && (
            <div>
              <Button look="primary" onClick={() => onAccept(hostKey)}>
                {t('settings.mounts.acceptKey')}
              </Button>
            </div>
          )}
        </fieldset>
      </>
    )
  if (refusal !== undefined) return <FailureNote>{sentence(refusal)}</FailureNote>
  return (
    <>
      <p className={styles.works}>
        <Icon name="check" small />
        {t('settings.mounts.works')}
      </p>
      <Weaknesses of={weaknesses} />
    </>
  )
}

/** Refusals of the server begin like a part of a sentence. */
const sentence = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1)
