import { LanguageDescription } from '@codemirror/language'
import { languages } from '@codemirror/language-data'
import { Compartment, EditorState, type Text } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { codeSetup } from './code-setup.ts'
import type { TextFile } from './text-file.ts'

interface CodeEditorOptions {
  parent: RefObject<HTMLElement | null>
  name: string
  file: TextFile
  isReadOnly: boolean
  isWrapping: boolean
  onClose: () => void
}

export interface CodeEditor {
  view: EditorView | null
  /** Name of the language, once it is loaded. */
  language: string | null
  isDirty: boolean
  /** Counted from 1. */
  line: number
  column: number
  hasSelection: boolean
  /** Grows with every change of the text. */
  revision: number
  /** Takes this text as the one on the disk. Answers whether it is still the one in view. */
  markSaved(text: Text): boolean
  /** Right at any moment, where `isDirty` is only as new as the last drawing. */
  isUnsaved(text: Text): boolean
}

/** CodeMirror in `parent`, and what the bars around it want to know of it. */
export function useCodeEditor({ parent, name, file, isReadOnly, isWrapping, onClose }: CodeEditorOptions): CodeEditor {
  const [view, setView] = useState<EditorView | null>(null)
  const [language, setLanguage] = useState<string | null>(null)
  const [cursor, setCursor] = useState({ line: 1, column: 1, hasSelection: false, revision: 0, isDirty: false })
  const saved = useRef<Text | null>(null)
  const close = useRef(onClose)
  close.current = onClose
  const [wrapping] = useState(() => new Compartment())

  useEffect(() => {
    if (parent.current === null) return
    const languageSlot = new Compartment()
    const made = new EditorView({
      parent: parent.current,
      state: EditorState.create({
        doc: file.text,
        extensions: [
          codeSetup(() => close.current()),
          EditorState.lineSeparator.of(file.lineBreak),
          EditorState.readOnly.of(isReadOnly),
          EditorView.contentAttributes.of({ 'aria-readonly': String(isReadOnly), 'aria-multiline': 'true' }),
          languageSlot.of([]),
          wrapping.of(EditorView.lineWrapping),
          EditorView.updateListener.of(({ state, docChanged, selectionSet }) => {
            if (!docChanged && !selectionSet) return
            const { head, empty } = state.selection.main
            const line = state.doc.lineAt(head)
            setCursor((now) => ({
              line: line.number,
              column: head - line.from + 1,
              hasSelection: !empty,
              revision: now.revision + (docChanged ? 1 : 0),
              isDirty: docChanged ? saved.current === null || !state.doc.eq(saved.current) : now.isDirty,
            }))
          }),
        ],
      }),
    })
    saved.current = made.state.doc
    setView(made)
    made.focus()
    const description = LanguageDescription.matchFilename(languages, name)
    if (description !== null) {
      description.load().then(
        (support) => {
          made.dispatch({ effects: languageSlot.reconfigure(support) })
          setLanguage(description.name)
        },
        // Without its colours a text can still be read and written.
        () => setLanguage(null),
      )
    }
    return () => made.destroy()
  }, [parent, name, file, isReadOnly, wrapping])

  useEffect(() => {
    view?.dispatch({ effects: wrapping.reconfigure(isWrapping ? EditorView.lineWrapping : []) })
  }, [view, wrapping, isWrapping])

  return {
    view,
    language,
    ...cursor,
    markSaved(text) {
      saved.current = text
      const isClean = view?.state.doc.eq(text) ?? true
      setCursor((now) => ({ ...now, isDirty: !isClean }))
      return isClean
    },
    isUnsaved: (text) => saved.current !== null && !text.eq(saved.current),
  }
}
