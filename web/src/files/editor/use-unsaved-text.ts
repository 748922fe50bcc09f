import { Text } from '@codemirror/state'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { currentFilesPath } from '../../navigation/addresses.ts'
import { currentLocation } from '../../navigation/location.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import {
  findText,
  forgetOwnText,
  forgetText,
  keepText,
  onSessionEnd,
  type StoredText,
} from '../../workspace/unsaved-text.ts'
import type { CodeEditor } from './use-code-editor.ts'

/** How long after a change the text is written to the browser's storage, in milliseconds. Long texts take long to write. */
const writeDelay = (length: number): number => (length > 200_000 ? 5000 : 1000)

interface UnsavedTextOptions {
  userId: number
  path: string
  code: CodeEditor
  isReadOnly: boolean
  /** The version of the file that the text came from. */
  version: string | null
  /** Another text is in the editor, which came from this version. */
  onVersion: (version: string | null) => void
}

/** A text that was found when the file was opened. */
interface FoundText extends StoredText {
  isRestored: boolean
}

export interface UnsavedTextControl {
  found: FoundText | null
  restore(): void
  /** Removes what was found; a text that is restored already gives way to the one of the file. */
  discard(): void
  dismiss(): void
  /** The text in the editor is no longer wanted. */
  giveUp(): void
}

/**
 * Keeps the text while it is not saved: against the end of the session, a crash, a reload and a closed tab. A text that
 * this tab has kept comes back when its file is opened; that of another tab, which may still be open, is offered.
 */
export function useUnsavedText(options: UnsavedTextOptions): UnsavedTextControl {
  const { userId, path, code, isReadOnly, version, onVersion } = options
  const { view, revision, isDirty } = code
  const [found, setFound] = useState<FoundText | null>(null)
  const givenUp = useRef<Text | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** The version of the text that was restored over. */
  const versionBefore = useRef<string | null>(null)

  function stopWriting() {
    clearTimeout(timer.current)
    timer.current = undefined
  }

  function restoreText(text: FoundText) {
    // From now on it is the text of this tab, and the other one is not offered again.
    if (!text.isOwn) {
      keepText({ ...text, address: address() })
      forgetText(text)
    }
    code.replace(Text.of(text.lines))
    versionBefore.current = version
    onVersion(text.version)
    setFound({ ...text, isRestored: true })
  }

  const open = useEffectEvent(() => {
    const kept = findText(userId, path)
    if (kept === null || view === null) return
    if (Text.of(kept.lines).eq(view.state.doc)) return forgetText(kept)
    if (kept.isOwn) restoreText({ ...kept, isRestored: false })
    else setFound({ ...kept, isRestored: false })
  })

  const write = useEffectEvent(() => {
    stopWriting()
    // The file was left, or deleted: what was to be kept of it is decided.
    if (view === null || currentFilesPath() !== path) return
    const { doc } = view.state
    if (!code.isUnsaved(doc)) forgetOwnText(path)
    else if (doc !== givenUp.current) keepText({ userId, path, address: address(), version, lines: doc.toJSON() })
  })

  const isOn = view !== null && !isReadOnly
  useEffect(() => {
    if (!isOn) return
    const session = sessionSignal()
    open()
    const stopListening = onSessionEnd((ending) => {
      if (ending === 'cut-off') write()
    })
    const writeIfWaiting = () => timer.current !== undefined && write()
    document.addEventListener('visibilitychange', writeIfWaiting)
    addEventListener('pagehide', writeIfWaiting)
    return () => {
      stopListening()
      document.removeEventListener('visibilitychange', writeIfWaiting)
      removeEventListener('pagehide', writeIfWaiting)
      if (!session.aborted) writeIfWaiting()
      clearTimeout(timer.current)
    }
  }, [isOn])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another version is a reason to write, too
  useEffect(() => {
    if (view === null || !isOn || revision === 0) return
    if (isDirty) timer.current ??= setTimeout(write, writeDelay(view.state.doc.length))
    else {
      write()
      setFound((now) => (now?.isRestored === true ? null : now))
    }
  }, [isOn, revision, isDirty, version])

  return {
    found,
    restore() {
      if (found !== null) restoreText(found)
      view?.focus()
    },
    discard() {
      if (found === null) return
      setFound(null)
      view?.focus()
      if (!found.isRestored) return forgetText(found)
      code.revert()
      onVersion(versionBefore.current)
    },
    dismiss() {
      setFound(null)
      view?.focus()
    },
    giveUp() {
      stopWriting()
      givenUp.current = view?.state.doc ?? null
      forgetOwnText(path)
    },
  }
}

const address = (): string => currentLocation().pathname + currentLocation().search
