import { type ComponentType, createElement, type ReactNode } from 'react'
import { perSession, useScope } from '../state/session-scope.ts'
import { createStore } from '../state/store.ts'
import { pressedKey } from '../ui/pressed-key.ts'

/** What every dialog is given besides its question: a way to answer. `null` means "cancelled". */
export type QuestionProps<Question, Answer> = Question & { answer: (value: Answer | null) => void }

interface OpenDialog {
  id: number
  element: ReactNode
  dismiss: () => void
}

interface LoadingDialog {
  /** The component, or null where it could not be fetched. */
  fetched: Promise<unknown>
  question: object
  cancel: () => void
  /** Settles with its answer, or when it is cancelled. */
  isOver: Promise<void>
}

/** The dialogs of a session. Its end leaves them unanswered. */
class DialogStack {
  readonly open = createStore<readonly OpenDialog[]>([])
  readonly loading = createStore<LoadingDialog | null>(null)
  /** How often all dialogs were dismissed: those that wait for their turn then are, too. */
  dismissals = 0
  #lastId = 0

  nextId(): number {
    this.#lastId += 1
    return this.#lastId
  }

  dismiss(): void {
    this.dismissals += 1
    this.loading.get()?.cancel()
    for (const dialog of [...this.open.get()].reverse()) dialog.dismiss()
  }
}

const dialogStack = perSession((scope) => {
  const stack = new DialogStack()
  scope.onEnd(() => stack.dismiss())
  return stack
})

/** Opens a dialog over those that are open already and waits for its answer. */
export async function ask<Question extends object, Answer>(
  component: ComponentType<QuestionProps<Question, Answer>>,
  question: Question,
): Promise<Answer | null> {
  const stack = dialogStack()
  const before = stack.dismissals
  for (let ahead = stack.loading.get(); ahead !== null; ahead = stack.loading.get()) await ahead.isOver
  return before === stack.dismissals ? show(stack, component, question) : null
}

function show<Question extends object, Answer>(
  stack: DialogStack,
  component: ComponentType<QuestionProps<Question, Answer>>,
  question: Question,
): Promise<Answer | null> {
  return new Promise((resolve) => {
    const id = stack.nextId()
    const answer = (value: Answer | null) => {
      stack.open.set(stack.open.get().filter((dialog) => dialog.id !== id))
      resolve(value)
    }
    const element = createElement(component, { ...question, answer })
    stack.open.set([...stack.open.get(), { id, element, dismiss: () => answer(null) }])
  })
}

/**
 * The same for a dialog that is loaded when it is first needed. What is asked while one is being loaded waits for its
 * turn; the same question again is the other half of a double click and is not asked twice. Keys pressed meanwhile are
 * for the dialog, not for what is behind it: typed text is kept for its field, and Escape cancels.
 */
export async function askWith<Question extends object, Answer>(
  load: () => Promise<ComponentType<QuestionProps<Question, Answer>>>,
  question: Question,
): Promise<Answer | null> {
  const stack = dialogStack()
  const { loading, dismissals: before } = stack
  const fetching = load()
  const fetched = fetching.catch(() => null)
  for (let ahead = loading.get(); ahead !== null; ahead = loading.get()) {
    if (isSame(ahead.question, question) && (await ahead.fetched) === (await fetched)) return null
    await ahead.isOver
  }
  if (before !== stack.dismissals) return null

  let cancel = () => {}
  let end = () => {}
  const cancelled = new Promise<null>((resolve) => {
    cancel = () => resolve(null)
  })
  const isOver = new Promise<void>((resolve) => {
    end = resolve
  })
  loading.set({ fetched, question, cancel, isOver })
  const listening = new AbortController()
  const typed = new KeyBuffer()
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopImmediatePropagation()
    if (isForBrowser(event)) return
    event.preventDefault()
    if (event.key === 'Escape') cancel()
    else typed.add(event)
  }
  // The other half of a double click would be the first click for what is there by then.
  const onClick = (event: MouseEvent) => event.detail > 1 && event.stopImmediatePropagation()
  addEventListener('keydown', onKeyDown, { capture: true, signal: listening.signal })
  addEventListener('click', onClick, { capture: true, signal: listening.signal })
  try {
    const component = await Promise.race([fetching, cancelled]).finally(() => {
      loading.set(null)
      listening.abort()
    })
    if (component === null) return null
    typed.insertAtNextFocus()
    return await show(stack, component, question)
  } finally {
    end()
  }
}

const isSame = (one: object, other: object): boolean => {
  const values = new Map(Object.entries(one))
  const others = Object.entries(other)
  return values.size === others.length && others.every(([name, value]) => values.get(name) === value)
}

/** Reloading, tabs, zoom and the like stay with the browser. Its own help and saving the page are no use here. */
const isForBrowser = (event: KeyboardEvent): boolean =>
  event.ctrlKey || event.metaKey || event.altKey
    ? !['k', 's'].includes(pressedKey(event).toLowerCase())
    : /^F\d+$/.test(event.key) && event.key !== 'F1'

/** With a page its dialogs go, too: they count as not answered. */
export const dismissDialogs = (): void => dialogStack().dismiss()

export function isAsking(): boolean {
  const { open, loading } = dialogStack()
  return loading.get() !== null || open.get().length > 0
}

export const useOpenDialogs = (): readonly OpenDialog[] => dialogStack(useScope()).open.use()

export const useLoadingDialog = (): LoadingDialog | null => dialogStack(useScope()).loading.use()

/** Keys that are pressed before there is a field for them: a text, and perhaps Enter after it. */
class KeyBuffer {
  #text = ''
  #isEntered = false

  add(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || this.#isEntered) return
    if (event.key === 'Enter') this.#isEntered = this.#text !== ''
    else if (event.key === 'Backspace') this.#text = [...this.#text].slice(0, -1).join('')
    else if (event.key.length === 1) this.#text += event.key
  }

  /** Inserts the text into the field that gets the focus next, if it is one. */
  insertAtNextFocus(): void {
    if (this.#text === '') return
    addEventListener(
      'focusin',
      ({ target }) => {
        if (!(target instanceof HTMLInputElement)) return
        // At once: keys that are pressed from now on come after these.
        document.execCommand('insertText', false, this.#text)
        if (this.#isEntered) setTimeout(() => target.form?.requestSubmit())
      },
      { once: true },
    )
  }
}
