import { type ComponentType, createElement, type ReactNode } from 'react'
import { onSessionEnd } from '../state/session-scope.ts'
import { watched } from '../state/watched.ts'
import { pressedKey } from '../ui/pressed-key.ts'
import { TypedAhead } from './typed-ahead.ts'

/** What every prompt is given besides its question: a way to answer. `null` means "never mind". */
export type PromptProps<Question, Answer> = Question & { answer: (value: Answer | null) => void }

interface OpenPrompt {
  id: number
  element: ReactNode
  dismiss: () => void
}

const open = watched<readonly OpenPrompt[]>([])
let lastId = 0

/** Opens a question over whatever is open already and waits for its answer. */
export async function ask<Question extends object, Answer>(
  component: ComponentType<PromptProps<Question, Answer>>,
  question: Question,
): Promise<Answer | null> {
  const before = dismissals
  for (let ahead = loading.get(); ahead !== null; ahead = loading.get()) await ahead.isOver
  return before === dismissals ? show(component, question) : null
}

function show<Question extends object, Answer>(
  component: ComponentType<PromptProps<Question, Answer>>,
  question: Question,
): Promise<Answer | null> {
  return new Promise((resolve) => {
    lastId += 1
    const id = lastId
    const answer = (value: Answer | null) => {
      open.set(open.get().filter((prompt) => prompt.id !== id))
      resolve(value)
    }
    const element = createElement(component, { ...question, answer })
    open.set([...open.get(), { id, element, dismiss: () => answer(null) }])
  })
}

interface LoadingPrompt {
  /** The component, or null where it could not be fetched. */
  fetched: Promise<unknown>
  question: object
  giveUp: () => void
  /** Settles with its answer, or when it is given up. */
  isOver: Promise<void>
}

const loading = watched<LoadingPrompt | null>(null)
/** Counts how often all questions were dismissed: those that wait for their turn then are, too. */
let dismissals = 0

/**
 * The same for a prompt that is loaded when it is first needed. What is asked while one is on its way waits for its
 * turn; the same question again is the other half of a double click and is not asked twice. Keys pressed meanwhile were
 * meant for the prompt, not for what is behind it: what is typed waits for its field, and Escape means what it will
 * mean there.
 */
export async function askWith<Question extends object, Answer>(
  load: () => Promise<ComponentType<PromptProps<Question, Answer>>>,
  question: Question,
): Promise<Answer | null> {
  const before = dismissals
  const fetching = load()
  const fetched = fetching.catch(() => null)
  for (let ahead = loading.get(); ahead !== null; ahead = loading.get()) {
    if (isSame(ahead.question, question) && (await ahead.fetched) === (await fetched)) return null
    await ahead.isOver
  }
  if (before !== dismissals) return null

  let giveUp = () => {}
  let end = () => {}
  const givenUp = new Promise<null>((resolve) => {
    giveUp = () => resolve(null)
  })
  const isOver = new Promise<void>((resolve) => {
    end = resolve
  })
  loading.set({ fetched, question, giveUp, isOver })
  const listening = new AbortController()
  const typed = new TypedAhead()
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopImmediatePropagation()
    if (isForBrowser(event)) return
    event.preventDefault()
    if (event.key === 'Escape') giveUp()
    else typed.hear(event)
  }
  // The other half of a double click, which would be the first one for whatever is there.
  const onClick = (event: MouseEvent) => event.detail > 1 && event.stopImmediatePropagation()
  addEventListener('keydown', onKeyDown, { capture: true, signal: listening.signal })
  addEventListener('click', onClick, { capture: true, signal: listening.signal })
  try {
    const component = await Promise.race([fetching, givenUp]).finally(() => {
      loading.set(null)
      listening.abort()
    })
    if (component === null) return null
    typed.giveToNextFocus()
    return await show(component, question)
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

/** Where a page goes away, so do its questions: they count as not answered. */
export function dismissPrompts(): void {
  dismissals += 1
  loading.get()?.giveUp()
  for (const prompt of [...open.get()].reverse()) prompt.dismiss()
}

onSessionEnd(dismissPrompts)

export const isAsking = (): boolean => loading.get() !== null || open.get().length > 0

export const usePrompts = open.use

export const useLoadingPrompt = loading.use
