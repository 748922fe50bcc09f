import { useEffect, useRef } from 'react'
import { useTranslation } from '../i18n/i18n.ts'
import { startSettings } from '../server/start-settings.ts'

declare global {
  interface Window {
    grecaptcha?: {
      render?: (element: HTMLElement, options: { sitekey: string }) => number
      getResponse: () => string
      reset: () => void
    }
  }
}

/** The configured bot check. Its script comes from another host and may be late, or blocked: nothing waits for it. */
export function BotCheck() {
  const { t } = useTranslation()
  const slot = useRef<HTMLDivElement>(null)

  useEffect(() => {
    const timer = setInterval(() => {
      const render = window.grecaptcha?.render
      if (render === undefined || slot.current === null) return
      clearInterval(timer)
      if (slot.current.childElementCount === 0) render(slot.current, { sitekey: startSettings.ReCaptchaKey ?? '' })
    }, 100)
    return () => clearInterval(timer)
  }, [])

  // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be the slot of a foreign widget
  return <div ref={slot} id="recaptcha" role="group" aria-label={t('login.botCheck')} />
}

/** The answer to the check, or nothing. */
export const botAnswer = (): string => (startSettings.ReCaptcha ? (window.grecaptcha?.getResponse() ?? '') : '')

/** Takes the answer back: the check is made anew. */
export function resetBotCheck(): void {
  try {
    if (startSettings.ReCaptcha) window.grecaptcha?.reset()
  } catch {
    // The widget is not drawn yet, and has no answer.
  }
}
