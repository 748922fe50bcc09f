import type { KeptItem } from '@filestead/contract'
import { askWith } from '../../dialogs/ask.ts'
import { describeFailure } from '../../dialogs/show-failure.ts'
import { formatSize } from '../../i18n/format.ts'
import { Trans, t } from '../../i18n/i18n.ts'
import { cache } from '../../server/queries/cache.ts'
import { can } from '../../server/session.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import { toastError, toastSuccess } from '../../ui/toasts.ts'
import { loadJobs } from '../operations/load-work.ts'
import { NameList, namesOf } from '../operations/name-list.tsx'

const loadConfirmation = async () => (await import('../../dialogs/Confirmation.tsx')).Confirmation

/** Ends items of the trash, once the person has said so. Answers whether some have gone. */
export async function purgeItems(items: readonly KeptItem[]): Promise<boolean> {
  const count = items.length
  const bytes = items.every(({ size }) => size !== undefined) ? items.reduce((sum, { size = 0 }) => sum + size, 0) : 0
  const isMeant = await askWith(loadConfirmation, {
    title: t('trash.purgeTitle'),
    text: (
      <>
        <p>
          <Trans i18nKey="trash.purgeQuestion" components={{ names: <NameList entries={items} /> }} />
        </p>
        <p>{bytes === 0 ? t('trash.purgeNote') : t('trash.purgeSize', { size: formatSize(bytes) })}</p>
      </>
    ),
    cancel: t('buttons.cancel'),
    confirm: count === 1 ? t('trash.purge') : t('trash.purgeItems', { count }),
  })
  if (isMeant === null) return false
  return purge(
    items.map((item) => ({ ...item })),
    {
      title: t('trash.purging', { count }),
      requestFor: (own) => ({ kind: 'purge', ids: own.map(({ id }) => id) }),
      said: (done) =>
        done === 1 && count === 1
          ? t('trash.purgedOne', { name: items[0]?.name ?? '' })
          : t('trash.purged', { count: done }),
    },
  )
}

/** Ends everything in the trash that the person may end. `count` is null where not all of it is known. */
export async function emptyTrash(count: number | null): Promise<boolean> {
  const isMeant = await askWith(loadConfirmation, {
    title: t('trash.emptyTitle'),
    text: (
      <>
        <p>{count === null ? t('trash.emptyMore') : t('trash.emptyQuestion', { count })}</p>
        {can('admin') && <p>{t('trash.emptyAll')}</p>}
      </>
    ),
    cancel: t('buttons.cancel'),
    confirm: t('trash.emptyTitle'),
  })
  if (isMeant === null) return false
  return purge([{ id: '', path: '/', name: t('trash.title') }], {
    title: t('trash.emptying'),
    requestFor: () => ({ kind: 'purge' }),
    said: () => t('trash.emptied'),
  })
}

interface Purged {
  id: string
  path: string
  name: string
}

interface Purge {
  title: string
  requestFor(items: readonly Purged[]): { kind: 'purge'; ids?: string[] }
  said(count: number): string
}

async function purge(items: readonly Purged[], { title, requestFor, said }: Purge): Promise<boolean> {
  const session = sessionSignal()
  const { runJob } = await loadJobs()
  const { done, failed } = await runJob(items, requestFor, { title, session })
  for (const kind of ['trash', 'timeline', 'operations', 'usage']) void cache().invalidateQueries({ queryKey: [kind] })
  session.throwIfAborted()
  if (done.length > 0) toastSuccess(said(done.length))
  if (failed.length > 0) {
    const names = namesOf(failed.map(({ item }) => item))
    toastError(t('change.deleteFailed', { names, reason: describeFailure(failed[0]?.error) }))
  }
  return done.length > 0
}
