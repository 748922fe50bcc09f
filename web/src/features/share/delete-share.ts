import { cache } from '../../api/cache.ts'
import { removeShare } from '../../api/shares.ts'
import { showFailure } from '../../api/show-failure.ts'
import { t } from '../../i18n/i18n.ts'
import { Confirmation } from '../../prompts/Confirmation.tsx'
import { ask } from '../../prompts/prompts.ts'
import { toastSuccess } from '../../ui/toasts.ts'

/** After a question: whoever was sent the link finds nothing there any more, and no undoing brings it back. */
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
  await cache.invalidateQueries({ queryKey: ['shares'] })
}
