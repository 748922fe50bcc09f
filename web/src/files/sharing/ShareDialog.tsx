import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { QuestionProps } from '../../dialogs/ask.ts'
import { describeFailure, showFailure } from '../../dialogs/show-failure.ts'
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
import { byExpiry } from './duration.ts'
import { EntrySummary } from './EntrySummary.tsx'
import { NewLink } from './NewLink.tsx'
import { ShareForm } from './ShareForm.tsx'
import { ShareLinks } from './ShareLinks.tsx'

const formId = 'share-form'

/** The links of one entry, and the form for another. Without any link the form comes first. */
export function ShareDialog({ entry, answer }: QuestionProps<{ entry: Entry }, never>) {
  const { t } = useTranslation()
  const query = sharesOfQuery(entry.path)
  const { data, error, isPending } = useQuery(query)
  const [wantsForm, setWantsForm] = useState(false)
  const [isBusy, setIsBusy] = useState(false)
  /** Of the links made here, newest first. A password cannot be read later, so it stays in view until this is closed. */
  const [passwords, setPasswords] = useState<ReadonlyMap<string, string>>(new Map())
  const [deleting, setDeleting] = useState<string | null>(null)
  const links = [...(data ?? [])].sort(byExpiry)
  const isForm = wantsForm || links.length === 0
  const close = () => answer(null)
  const refresh = () => cache().invalidateQueries({ queryKey: ['shares'] })
  const made = [...passwords].filter(([hash]) => links.some((link) => link.hash === hash))

  async function create(terms: NewShare) {
    setIsBusy(true)
    try {
      const link = await createShare(entry.path, terms)
      if (terms.password !== '') setPasswords(new Map([[link.hash, terms.password], ...passwords]))
      await refresh()
      setWantsForm(false)
      // Some browsers refuse to copy without a click at this very moment. The link is listed with a button that copies.
      await copyText(shareUrl(link.hash)).then(
        () => toastSuccess(t('copyLink.done')),
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
            <Button look="line" onClick={() => (links.length === 0 ? close() : setWantsForm(false))}>
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
      {/* Not the form until it is clear that there are no links: they would take its place while it is filled in. */}
      {isPending && (
        <>
          <EntrySummary entry={entry} />
          <p role="status">
            <Spinner /> {t('frame.loading')}
          </p>
        </>
      )}
      {error !== null && data === undefined && <FailureNote>{describeFailure(error)}</FailureNote>}
      {!isPending && isForm && <ShareForm id={formId} entry={entry} onSubmit={(terms) => void create(terms)} />}
      {!isForm && (
        <ShareLinks entry={entry} links={links} deleting={deleting} onDelete={(hash) => void remove(hash)}>
          {made.map(([hash, password]) => (
            <NewLink key={hash} hash={hash} password={password} />
          ))}
        </ShareLinks>
      )}
    </Dialog>
  )
}
