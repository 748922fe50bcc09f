import type { ReactNode } from 'react'
import { ErrorBoundary } from './ErrorBoundary.tsx'

/** A part that is loaded after the page, which can be used without it. Where it fails, `place` is kept free. */
export const Apart = ({ place = null, children }: { place?: ReactNode; children: ReactNode }) => (
  <ErrorBoundary fallback={() => place}>{children}</ErrorBoundary>
)
