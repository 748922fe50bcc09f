import type { ReactNode } from 'react'
import { useTranslation } from '../i18n/i18n.ts'
import { EmptyState } from '../ui/EmptyState.tsx'

/** By status: 0 is no connection, 403 not allowed, 404 not there, 503 not there at the moment, anything else the server's fault. */
export function ErrorMessage({ status, level, actions }: { status: number; level: 1 | 2; actions: ReactNode }) {
  const { t } = useTranslation()
  const { scene, title, text } = words(status)
  return <EmptyState scene={scene} title={t(title)} text={t(text)} level={level} actions={actions} isAlert />
}

function words(status: number) {
  switch (status) {
    case 0:
      return { scene: 'offline', title: 'errors.connection', text: 'errors.connectionText' } as const
    case 403:
      return { scene: '403', title: 'errors.forbidden', text: 'errors.forbiddenText' } as const
    case 404:
      return { scene: '404', title: 'errors.notFound', text: 'errors.notFoundText' } as const
    case 503:
      return { scene: 'offline', title: 'errors.away', text: 'errors.awayText' } as const
    default:
      return { scene: '500', title: 'errors.internal', text: 'errors.internalText' } as const
  }
}
