import { useEffect, useRef, useState } from 'react'
import { useKeys } from '../commands/keyboard.ts'
import { Apart } from '../errors/Apart.tsx'
import { useTranslation } from '../i18n/i18n.ts'
import { IconButton } from '../ui/Button.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { useMedia } from '../ui/media.ts'
import styles from './QrCode.module.css'

const Code = lazyPart(async () => (await import('qrcode.react')).QRCodeSVG)

/**
 * The download for another device, behind a button; there is none on a phone, which cannot scan itself. The image is
 * always part of the page for programs that read the link from it, and drawn when it is asked for.
 */
export function QrCode({ value, size }: { value: string; size: number }) {
  const { t } = useTranslation()
  const isPhone = useMedia('coarse')
  const [isOpen, setIsOpen] = useState(false)
  const frame = useRef<HTMLDivElement>(null)
  const close = () => setIsOpen(false)
  useKeys({ Escape: close }, { isOn: isOpen })
  useEffect(() => {
    if (!isOpen) return
    const onPress = ({ target }: PointerEvent) => !frame.current?.contains(target as Node) && setIsOpen(false)
    document.addEventListener('pointerdown', onPress)
    return () => document.removeEventListener('pointerdown', onPress)
  }, [isOpen])

  if (isPhone) return null
  return (
    <div ref={frame} className={styles.frame}>
      <IconButton icon="qr" label={t('visit.showQr')} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)} />
      {/* White in both themes: cameras read dark on light. */}
      <div className={isOpen ? styles.card : styles.visuallyHidden}>
        <div
          role="img"
          aria-label={t('visit.qrCode')}
          data-value={value}
          className={styles.code}
          style={{ inlineSize: size, blockSize: size }}
        >
          {isOpen && (
            // The page does without it where its code does not come.
            <Apart>
              <Code value={value} size={size} level="M" marginSize={2} aria-hidden="true" />
            </Apart>
          )}
        </div>
        {isOpen && <p className={styles.text}>{t('visit.qrText')}</p>}
      </div>
    </div>
  )
}
