import type { ReactNode } from 'react'
import { lazyPart } from '../../../errors/ErrorBoundary.tsx'
import styles from './PdfViewer.module.css'

const PdfPages = lazyPart(async () => (await import('./PdfPages.tsx')).PdfPages)

export interface PdfViewerProps {
  name: string
  src: string
  otherwise: ReactNode
}

/** The browser's own viewer where it has one: it prints, searches and fills in forms. Phones have none. */
export function PdfViewer({ name, src, otherwise }: PdfViewerProps) {
  if (!navigator.pdfViewerEnabled) return <PdfPages name={name} src={src} otherwise={otherwise} />
  return <iframe className={styles.frame} src={src} title={name} role="document" />
}
