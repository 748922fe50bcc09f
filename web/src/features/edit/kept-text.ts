import { useEffect, useRef } from 'react'
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
 * When a session ends from outside, the screen goes and with it the text nobody has saved. It waits in this tab until
 * the same person opens the file again. Whoever gives a text up says so, and it is gone.
 */
export function useKeptText({ userId, path, code, isReadOnly, version, onBack }: KeptTextOptions): () => void {
  const givenUp = useRef(-1)
  const latest = useRef({ code, version, onBack })
  latest.current = { code, version, onBack }
  const { view } = code

  useEffect(() => {
    if (view === null || isReadOnly) return
    const kept = takeKept(userId, path)
    if (kept !== null && kept.text !== view.state.sliceDoc()) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: kept.text } })
      latest.current.onBack(kept.version)
    }
    return () => {
      const { code, version } = latest.current
      if (!code.isDirty || code.revision === givenUp.current) return
      keep({ userId, path, version, text: view.state.sliceDoc() })
    }
  }, [view, isReadOnly, userId, path])

  return () => {
    givenUp.current = latest.current.code.revision
  }
}

interface Kept {
  userId: number
  path: string
  version: string | null
  text: string
}

/** One is enough: there is one editor in a tab. */
const storageKey = 'unsavedText'

function keep(kept: Kept): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(kept))
  } catch {
    // More than the browser has room for; there is no better place.
  }
}

/** Somebody else's is nobody's: it goes as well. */
function takeKept(userId: number, path: string): Kept | null {
  const text = sessionStorage.getItem(storageKey)
  if (text === null) return null
  const kept: Kept = JSON.parse(text)
  if (kept.userId === userId && kept.path !== path) return null
  sessionStorage.removeItem(storageKey)
  return kept.userId === userId ? kept : null
}
