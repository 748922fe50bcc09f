import { type ReactNode, Suspense } from 'react'
import { ErrorBoundary } from './ErrorBoundary.tsx'

/** A part that is loaded after the page, which can be used without it. `place` is kept free for it. */
export const Apart = ({ place = null, children }: { place?: ReactNode; children: ReactNode }) => (
  <ErrorBoundary fallback={() => place}>
    <Suspense fallback={place}>{children}</Suspense>
  </ErrorBoundary>
)
