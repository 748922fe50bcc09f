import { Chunk, goToNextChunk, goToPreviousChunk, MergeView, unifiedMergeView } from '@codemirror/merge'
import { EditorState, type Extension, Text } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useEffect, useEffectEvent, useRef } from 'react'
import { t } from '../../i18n/i18n.ts'
import { codeLook } from '../editor/code-look.ts'
import { diffLimits } from './diff-limits.ts'
import styles from './TextDifferences.module.css'

export interface Differences {
  count: number
  /** To the next difference, or the one before. */
  step(by: 1 | -1): void
}

interface TextDifferencesProps {
  name: string
  before: string
  after: string
  /** One text, with what was removed crossed out, instead of two. */
  isUnified: boolean
  onFound(differences: Differences): void
}

const collapsed = { margin: 3, minSize: 6 }

/** Lines that differ are marked, and in them the letters that do. Long runs of equal lines are folded up. */
export function TextDifferences({ name, before, after, isUnified, onFound }: TextDifferencesProps) {
  const container = useRef<HTMLDivElement>(null)
  const report = useEffectEvent(onFound)

  useEffect(() => {
    const parent = container.current
    if (parent === null) return
    const { view, destroy } = isUnified
      ? showUnified(parent, name, before, after)
      : showBeside(parent, name, before, after)
    const step = (by: 1 | -1) => {
      ;(by === 1 ? goToNextChunk : goToPreviousChunk)(view)
      view.focus()
    }
    report({ count: differencesIn(before, after), step })
    return destroy
  }, [name, before, after, isUnified])

  return <div ref={container} className={styles.texts} data-unified={isUnified} />
}

function showBeside(parent: HTMLElement, name: string, before: string, after: string) {
  const merge = new MergeView({
    parent,
    a: { doc: before, extensions: reading(t('history.firstOf', { name })) },
    b: { doc: after, extensions: reading(t('history.secondOf', { name })) },
    collapseUnchanged: collapsed,
    diffConfig: diffLimits,
  })
  return { view: merge.b, destroy: () => merge.destroy() }
}

function showUnified(parent: HTMLElement, name: string, before: string, after: string) {
  const merged = unifiedMergeView({
    original: before,
    mergeControls: false,
    collapseUnchanged: collapsed,
    diffConfig: diffLimits,
  })
  const view = new EditorView({
    parent,
    state: EditorState.create({ doc: after, extensions: [...reading(t('history.bothOf', { name })), merged] }),
  })
  return { view, destroy: () => view.destroy() }
}

const reading = (label: string): Extension[] => [
  lineNumbers(),
  EditorView.lineWrapping,
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  // Not editable, but scrolled by keyboard.
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
  EditorState.phrases.of({ '$ unchanged lines': t('history.unchangedLines') }),
  codeLook,
]

/** As the view finds them. */
const differencesIn = (before: string, after: string): number =>
  Chunk.build(textOf(before), textOf(after), diffLimits).length

/** Lines are split as the view does it. */
const textOf = (text: string): Text => Text.of(text.split(/\r\n?|\n/))
