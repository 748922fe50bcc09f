import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { QuestionProps } from '../../dialogs/ask.ts'
import { describeFailure, showFailure } from '../../dialogs/show-failure.ts'
import { formatDay } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { cache } from '../../server/queries/cache.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { createShare, type NewShare, sharesOfQuery, shareUrl } from '../../server/queries/shares.ts'
import { Button, Spinner } from '../../ui/Button.tsx'
import { copyText } from '../../ui/copy-text.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { FailureNote } from '../../ui/FailureNote.tsx'
import { toastSuccess } from '../../ui/toasts.ts'
import { deleteShare } from './delete-share.ts'
import { byExpiry, describeEnd, expiryOf, isTooLong } from './duration.ts'
import { EntryNote, EntrySummary, Sentence } from './EntrySummary.tsx'
import { type Draft, emptyDraft, ShareForm } from './ShareForm.tsx'
import { ShareLinks, withPassword } from './ShareLinks.tsx'

const formId = 'share-form'

/** The links of one entry, and the form for another. Without any link the form comes first. */
export function ShareDialog({ entry, answer }: QuestionProps<{ entry: Entry }, never>) {
  const { t } = useTranslation()
  const query = sharesOfQuery(entry.path)
  const { data, error, isPending } = useQuery(query)
  const [wantsForm, setWantsForm] = useState(false)
  const [draft, setDraft] = useState(emptyDraft)
  const [isBusy, setIsBusy] = useState(false)
  /** Of the links made here. A password cannot be read later, so it stays in view until this is closed. */
  const [passwords, setPasswords] = useState<ReadonlyMap<string, string>>(new Map())
  /** The link that was put on the clipboard when it was made. */
  const [copied, setCopied] = useState<string | null>(null)
  const [deleting, setDeleting] = useState<string | null>(null)
  const links = [...(data ?? [])].sort(byExpiry)
  const isForm = wantsForm || links.length === 0
  const summary = useRef<HTMLDivElement>(null)
  const close = () => answer(null)
  const refresh = () => cache().invalidateQueries({ queryKey: ['shares'] })

  // The button that led to the other step is gone, and the focus with it.
  const [shownStep, setShownStep] = useState(isForm)
  useEffect(() => {
    if (shownStep === isForm) return
    setShownStep(isForm)
    // A new link may be further down, and in view already.
    summary.current?.focus({ preventScroll: true })
  }, [isForm, shownStep])

  function leaveForm() {
    setWantsForm(false)
    setDraft(emptyDraft)
  }

  async function create(terms: NewShare) {
    setIsBusy(true)
    try {
      const link = await createShare(entry.path, terms)
      const { password } = terms
      if (password !== '') setPasswords(new Map([...passwords, [link.hash, password]]))
      await refresh()
      leaveForm()
      const url = shareUrl(link.hash)
      // Some browsers refuse to copy without a click at this very moment. The link is listed with a button that copies.
      await copyText(password === '' ? url : withPassword(url, password, t('share.hasPassword'))).then(
        () => {
          setCopied(link.hash)
          toastSuccess(t('copyLink.done'))
        },
        () => {},
      )
    } catch (error) {
      showFailure(error)
    } finally {
      setIsBusy(false)
    }
  }

  async function remove(hash: string) {
    if (deleting !== null) return
    setDeleting(hash)
    await deleteShare({ hash, path: entry.path })
    setDeleting(null)
  }

  return (
    <Dialog
      title={t('share.share')}
      width="wide"
      onClose={close}
      actions={
        isForm ? (
          <>
            <Button look="line" onClick={links.length === 0 ? close : leaveForm}>
              {t('buttons.cancel')}
            </Button>
            <Button
              key="share"
              type="submit"
              form={formId}
              look="primary"
              icon="link"
              isBusy={isBusy}
              disabled={isPending}
            >
              {t('share.share')}
            </Button>
          </>
        ) : (
          <>
            <Button look="line" onClick={close}>
              {t('buttons.close')}
            </Button>
            <Button key="new" look="primary" icon="plus" onClick={() => setWantsForm(true)}>
              {t('share.new')}
            </Button>
          </>
        )
      }
    >
      <EntrySummary ref={summary} entry={entry}>
        {!isPending && isForm ? (
          <Sentence entry={entry} until={endOf(draft)} password={passwordIn(draft)} />
        ) : (
          <EntryNote entry={entry} />
        )}
      </EntrySummary>
      {/* Not the form until it is clear that there are no links: they would take its place while it is filled in. */}
      {isPending && (
        <p role="status">
          <Spinner /> {t('frame.loading')}
        </p>
      )}
      {error !== null && data === undefined && <FailureNote>{describeFailure(error)}</FailureNote>}
      {!isPending && isForm && (
        <ShareForm id={formId} draft={draft} onChange={setDraft} onSubmit={(terms) => void create(terms)} />
      )}
      {!isForm && (
        <ShareLinks
          entry={entry}
          links={links}
          passwords={passwords}
          copied={copied}
          deleting={deleting}
          onDelete={(hash) => void remove(hash)}
        />
      )}
    </Dialog>
  )
}

/** For the sentence. An end beyond the calendar is as good as none; the form tells it in years. */
function endOf({ duration }: Draft): string | null {
  const expire = isTooLong(duration) ? 0 : expiryOf(duration)
  const { date } = describeEnd(expire)
  return expire === 0 || date === null ? null : formatDay(date)
}

const passwordIn = ({ password, isPasswordShown }: Draft): string => {
  const kept = password.trim()
  return isPasswordShown ? kept : '•'.repeat(Math.min(kept.length, 8))
}
