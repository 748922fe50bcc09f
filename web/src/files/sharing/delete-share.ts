import { ask } from '../../dialogs/ask.ts'
import { Confirmation } from '../../dialogs/Confirmation.tsx'
import { showFailure } from '../../dialogs/show-failure.ts'
import { t } from '../../i18n/i18n.ts'
import { cache } from '../../server/queries/cache.ts'
import { removeShare } from '../../server/queries/shares.ts'
import { toastSuccess } from '../../ui/toasts.ts'

/** After a question: the link stops working for all its visitors, and cannot be made again. */
export async function deleteShare({ hash, path }: { hash: string; path: string }): Promise<void> {
  const isSure = await ask(Confirmation, {
    title: t('settings.shares.delete'),
    text: t('settings.shares.deleteQuestion', { path }),
    cancel: t('buttons.cancel'),
    confirm: t('buttons.delete'),
  })
  if (isSure === null) return
  try {
    await removeShare(hash)
    toastSuccess(t('settings.shares.deleted'))
  } catch (error) {
    showFailure(error)
  }
  await cache().invalidateQueries({ queryKey: ['shares'] })
}
