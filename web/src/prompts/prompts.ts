import { type ComponentType, createElement, type ReactNode } from 'react'
import { onSessionEnd } from '../state/session-scope.ts'
import { watched } from '../state/watched.ts'
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
export function ask<Question extends object, Answer>(
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

/** How to give up the prompt that is being loaded. */
const loading = watched<(() => void) | null>(null)

/**
 * The same for a prompt that is loaded when it is first needed. While one is on its way a second one is not opened:
 * that is the other half of a double click. Keys pressed meanwhile were meant for the prompt, not for what is behind
 * it: what is typed waits for its field, and Escape means what it will mean there.
 */
export async function askWith<Question extends object, Answer>(
  load: () => Promise<ComponentType<PromptProps<Question, Answer>>>,
  question: Question,
): Promise<Answer | null> {
  if (loading.get() !== null) return null
  const givenUp = new Promise<null>((resolve) => loading.set(() => resolve(null)))
  const listening = new AbortController()
  const typed = new TypedAhead()
  const swallow = (event: KeyboardEvent) => {
    event.preventDefault()
    event.stopImmediatePropagation()
    if (event.key === 'Escape') loading.get()?.()
    else typed.hear(event)
  }
  addEventListener('keydown', swallow, { capture: true, signal: listening.signal })
  const component = await Promise.race([load(), givenUp]).finally(() => {
    loading.set(null)
    listening.abort()
  })
  if (component === null) return null
  typed.giveToNextFocus()
  return ask(component, question)
}

/** Where a page goes away, so do its questions: they count as not answered. */
export function dismissPrompts(): void {
  loading.get()?.()
  for (const prompt of [...open.get()].reverse()) prompt.dismiss()
}

onSessionEnd(dismissPrompts)

export const isAsking = (): boolean => loading.get() !== null || open.get().length > 0

export const usePrompts = open.use

export const useLoadingPrompt = loading.use
