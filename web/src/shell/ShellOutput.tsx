import { memo, useEffect, useLayoutEffect, useRef } from 'react'
import { useTranslation } from '../i18n/i18n.ts'
import type { Block } from './output.ts'
import styles from './ShellOutput.module.css'

interface ShellOutputProps {
  blocks: readonly Block[]
  /** How many commands were run. */
  commands: number
}

/**
 * The log. A new command brings its end into view, where it stays in view while lines are added; after scrolling up, new
 * lines move nothing.
 */
export function ShellOutput({ blocks, commands }: ShellOutputProps) {
  const { t } = useTranslation()
  const log = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)

  function showEnd() {
    if (isAtEnd.current) log.current?.scrollTo({ top: log.current.scrollHeight })
  }

  function noteScroll() {
    const { scrollTop, clientHeight, scrollHeight } = log.current as HTMLDivElement
    isAtEnd.current = scrollTop + clientHeight > scrollHeight - tolerance
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new command is the trigger
  useLayoutEffect(() => {
    isAtEnd.current = true
    showEnd()
  }, [commands])

  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines are the trigger
  useLayoutEffect(showEnd, [blocks])

  // biome-ignore lint/correctness/useExhaustiveDependencies: once; it reads what is current
  useEffect(() => {
    if (content.current === null || log.current === null) return
    // The height of a block is known exactly only once the browser has rendered it.
    const observer = new ResizeObserver(showEnd)
    observer.observe(content.current)
    observer.observe(log.current)
    return () => observer.disconnect()
  }, [])

  return (
    <div ref={log} role="log" aria-label={t('shell.output')} className={styles.output} onScroll={noteScroll}>
      <div ref={content}>
        {blocks.map((block) => (
          <OutputBlock key={block.id} block={block} />
        ))}
      </div>
    </div>
  )
}

/** So many pixels from the end still count as the end. */
const tolerance = 24

const OutputBlock = memo(({ block: { runs, lines } }: { block: Block }) => (
  <div className={styles.block} style={{ containIntrinsicBlockSize: `auto ${lines * 1.25}rem` }}>
    {runs.map(({ kind, text }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: runs are only added at the end
      <pre key={index} className={styles.line} data-kind={kind}>
        {/* A browser leaves out an empty line at the end. */}
        {text.endsWith('\n') ? `${text}\n` : text}
      </pre>
    ))}
  </div>
))
