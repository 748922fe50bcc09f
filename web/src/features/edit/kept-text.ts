import { Text } from '@codemirror/state'
import { useEffect, useRef } from 'react'
import { currentFilesPath } from '../../navigation/addresses.ts'
import { keepText, takeText } from '../../place/unsaved-text.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import type { CodeEditor } from './use-code-editor.ts'

interface KeptTextOptions {
  userId: number
  path: string
  code: CodeEditor
  isReadOnly: boolean
  /** The version the text came from. */
  version: string | null
  /** The text is back as it was, and so is the version it came from. */
  onBack: (version: string | null) => void
}

/**
 * When a session ends from outside, or a mistake of ours takes the screen away, the text that is not saved waits in
 * this tab until the same person opens the file again. A text whose file was left was given up before: saved, discarded,
 * or deleted with its file.
 */
export function useKeptText({ userId, path, code, isReadOnly, version, onBack }: KeptTextOptions): () => void {
  const givenUp = useRef<Text | null>(null)
  const latest = useRef({ code, version, onBack })
  latest.current = { code, version, onBack }
  const { view } = code

  useEffect(() => {
    if (view === null || isReadOnly) return
    const session = sessionSignal()
    const kept = takeText(userId, path)
    const { doc } = view.state
    if (kept !== null && !Text.of(kept.lines).eq(doc)) {
      view.dispatch({ changes: { from: 0, to: doc.length, insert: Text.of(kept.lines) } })
      latest.current.onBack(kept.version)
    }
    return () => {
      const { code, version } = latest.current
      const { doc } = view.state
      const isLeft = !session.aborted && currentFilesPath() !== path
      if (!isLeft && code.isUnsaved(doc) && doc !== givenUp.current)
        keepText({ userId, path, version, lines: doc.toJSON() })
    }
  }, [view, isReadOnly, userId, path])

  return () => {
    givenUp.current = view?.state.doc ?? null
  }
}
