import { t } from '../i18n/i18n.ts'
import { CopyFailure, copyText } from '../ui/copy-text.ts'
import { toastError, toastSuccess } from '../ui/toasts.ts'

/** Copies an address, or another text, and says so, or says why not. */
export async function copyLink(text: string, done = t('copyLink.done')): Promise<void> {
  try {
    await copyText(text)
    toastSuccess(done)
  } catch (error) {
    toastError(t(explanation(error)))
  }
}

function explanation(error: unknown) {
  switch (error instanceof CopyFailure ? error.reason : 'unsupported') {
    case 'empty':
      return 'copyLink.empty'
    case 'denied':
      return 'copyLink.denied'
    case 'unsupported':
      return 'copyLink.unsupported'
  }
}
