import { Suspense } from 'react'
import { ErrorBoundary, lazyPart } from '../errors/ErrorBoundary.tsx'
import { useTranslation } from '../i18n/i18n.ts'
import styles from './QrCode.module.css'

const Code = lazyPart(async () => (await import('qrcode.react')).QRCodeSVG)

/** The download for another device. White in both themes: cameras read dark on light. */
export function QrCode({ value, size }: { value: string; size: number }) {
  const { t } = useTranslation()
  return (
    // The page does without it where its code does not come.
    <ErrorBoundary fallback={() => null}>
      <div className={styles.frame}>
        <div
          role="img"
          aria-label={t('visit.qrCode')}
          data-value={value}
          className={styles.code}
          style={{ inlineSize: size, blockSize: size }}
        >
          <Suspense>
            <Code value={value} size={size} level="M" marginSize={2} aria-hidden="true" />
          </Suspense>
        </div>
        <p className={styles.text}>{t('visit.qrText')}</p>
      </div>
    </ErrorBoundary>
  )
}
