import { LanguageDescription } from '@codemirror/language'
import { languages } from '@codemirror/language-data'
import { search, setSearchQuery } from '@codemirror/search'
import { Compartment, EditorState, type Text } from '@codemirror/state'
import { EditorView, type Panel } from '@codemirror/view'
import { type RefObject, useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
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
  /** Where find and replace are shown, while they are open. */
  findPanel: HTMLElement | null
  /** Where the text is written in, scrolls the line that is written to into sight. */
  showCursor(): void
  /** Takes this text as the one on the disk. Answers whether it is still the one in view. */
  markSaved(text: Text): boolean
  /** Right at any moment, where `isDirty` is only as new as the last rendering. */
  isUnsaved(text: Text): boolean
  /** Puts another text in the place of the whole one, as a change that can be undone. */
  replace(text: Text): void
  /** The same with the text on the disk. */
  revert(): void
}

/** CodeMirror in `parent`, and the state that the bars around it show. */
export function useCodeEditor({ parent, name, file, isReadOnly, isWrapping, onClose }: CodeEditorOptions): CodeEditor {
  const [view, setView] = useState<EditorView | null>(null)
  const [language, setLanguage] = useState<string | null>(null)
  const [cursor, setCursor] = useState({ line: 1, column: 1, hasSelection: false, revision: 0, isDirty: false })
  const [findPanel, setFindPanel] = useState<HTMLElement | null>(null)
  const saved = useRef<Text | null>(null)
  const close = useEffectEvent(onClose)
  const [wrapping] = useState(() => new Compartment())

  useEffect(() => {
    if (parent.current === null) return
    const languageSlot = new Compartment()
    const made = new EditorView({
      parent: parent.current,
      state: EditorState.create({
        doc: file.text,
        extensions: [
          codeSetup(() => close()),
          search({ top: true, literal: true, createPanel: () => panelShownBy(setFindPanel) }),
          EditorState.lineSeparator.of(file.lineBreak),
          EditorState.readOnly.of(isReadOnly),
          EditorView.contentAttributes.of({ 'aria-readonly': String(isReadOnly), 'aria-multiline': 'true' }),
          languageSlot.of([]),
          wrapping.of(EditorView.lineWrapping),
          EditorView.updateListener.of(({ state, docChanged, selectionSet, transactions }) => {
            const isQueryNew = transactions.some(({ effects }) => effects.some((effect) => effect.is(setSearchQuery)))
            if (!docChanged && !selectionSet && !isQueryNew) return
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
        // A text without colours can still be read and edited.
        () => setLanguage(null),
      )
    }
    return () => made.destroy()
  }, [parent, name, file, isReadOnly, wrapping])

  useEffect(() => {
    view?.dispatch({ effects: wrapping.reconfigure(isWrapping ? EditorView.lineWrapping : []) })
  }, [view, wrapping, isWrapping])

  const showCursor = useCallback(() => {
    if (view?.hasFocus) view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main) })
  }, [view])

  function replace(text: Text) {
    view?.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
  }

  return {
    view,
    language,
    ...cursor,
    findPanel,
    replace,
    showCursor,
    revert() {
      if (saved.current !== null) replace(saved.current)
    },
    markSaved(text) {
      saved.current = text
      const isClean = view?.state.doc.eq(text) ?? true
      setCursor((now) => ({ ...now, isDirty: !isClean }))
      return isClean
    },
    isUnsaved: (text) => saved.current !== null && !text.eq(saved.current),
  }
}

/** An empty panel of CodeMirror's, which a component fills while it is open. */
function panelShownBy(show: (host: HTMLElement | null) => void): Panel {
  const dom = document.createElement('div')
  return { dom, top: true, mount: () => show(dom), destroy: () => show(null) }
}
