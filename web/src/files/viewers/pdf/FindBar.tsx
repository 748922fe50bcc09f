import { type KeyboardEvent, useDeferredValue, useEffect, useRef, useState } from 'react'
import { useTranslation } from '../../../i18n/i18n.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { announce } from '../../../ui/live-status.ts'
import { useViewerKeys } from '../ViewerParts.tsx'
import { type Match, occurrencesOf } from './find.ts'
import type { Pdf } from './open-pdf.ts'
import styles from './PdfViewer.module.css'

/** What is looked for, and which of its matches is in view. */
export interface Found {
  text: string
  current: Match | null
}

/** Finds a text in all pages, those that are not drawn included. */
export function FindBar({ pdf, onFound }: { pdf: Pdf; onFound(found: Found): void }) {
  const { t } = useTranslation()
  const field = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState('')
  const text = useDeferredValue(typed.trim())
  const [at, setAt] = useState(0)
  const matches = useMatches(pdf, text)
  const current = matches[at]
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text begins at its first match
  useEffect(() => setAt(0), [text])
  useEffect(() => onFound({ text, current: current ?? null }), [text, current, onFound])
  const position = t('preview.position', { position: matches.length === 0 ? 0 : at + 1, count: matches.length })
  useEffect(() => {
    if (text !== '') announce(position)
  }, [text, position])

  const step = (by: 1 | -1) => matches.length > 0 && setAt((at + by + matches.length) % matches.length)
  useViewerKeys({ 'Mod+F': () => field.current?.select() })

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Enter') step(event.shiftKey ? -1 : 1)
    else if (event.key === 'Escape' && typed !== '') setTyped('')
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <search className={styles.find}>
      <input
        ref={field}
        type="search"
        dir="auto"
        placeholder={t('preview.findText')}
        aria-label={t('preview.findText')}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {text !== '' && (
        <>
          <span className={styles.position}>{position}</span>
          <IconButton icon="chevron-up" label={t('preview.previousMatch')} onClick={() => step(-1)} />
          <IconButton icon="chevron-down" label={t('preview.nextMatch')} onClick={() => step(1)} />
        </>
      )}
    </search>
  )
}

/** Read page after page; those of the first pages are there while later ones are read. */
function useMatches(pdf: Pdf, text: string): readonly Match[] {
  const [matches, setMatches] = useState<readonly Match[]>([])
  const texts = useRef<string[]>([])
  useEffect(() => {
    let isGone = false
    setMatches([])
    const find = async () => {
      for (let page = 1; page <= pdf.numPages && text !== ''; page += 1) {
        texts.current[page] ??= await textOf(pdf, page)
        if (isGone) return
        const found = occurrencesOf(text, texts.current[page] ?? '')
        if (found.length > 0) setMatches((now) => [...now, ...found.map((_, index) => ({ page, index }))])
      }
    }
    // A document that was closed meanwhile.
    find().catch(() => {})
    return () => {
      isGone = true
    }
  }, [pdf, text])
  return matches
}

/** As the text layer has it: a line that ends is a space. */
async function textOf(pdf: Pdf, number: number): Promise<string> {
  const { items } = await (await pdf.getPage(number)).getTextContent()
  return items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? ' ' : ''}` : '')).join('')
}
