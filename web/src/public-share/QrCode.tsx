import { QRCodeSVG } from 'qrcode.react'
import { useTranslation } from '../i18n/i18n.ts'
import styles from './QrCode.module.css'

/** The download for another device. White in both themes: cameras read dark on light. */
export function QrCode({ value, size }: { value: string; size: number }) {
  const { t } = useTranslation()
  return (
    <div className={styles.frame}>
      <div role="img" aria-label={t('visit.qrCode')} data-value={value} className={styles.code}>
        <QRCodeSVG value={value} size={size} level="M" marginSize={2} aria-hidden="true" />
      </div>
      <p className={styles.text}>{t('visit.qrText')}</p>
    </div>
  )
}
