import { type ComponentType, createElement, type ReactNode } from 'react'
import { watched } from '../state/watched.ts'

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

let isLoading = false

/**
 * The same for a prompt that is loaded when it is first needed. While one is on its way a second one is not opened:
 * that is the other half of a double click. Keys pressed meanwhile were meant for the prompt, not for what is behind it.
 */
export async function askWith<Question extends object, Answer>(
  load: () => Promise<ComponentType<PromptProps<Question, Answer>>>,
  question: Question,
): Promise<Answer | null> {
  if (isLoading) return null
  isLoading = true
  addEventListener('keydown', swallow, { capture: true })
  const component = await load().finally(() => {
    isLoading = false
    removeEventListener('keydown', swallow, { capture: true })
  })
  return ask(component, question)
}

function swallow(event: KeyboardEvent): void {
  event.preventDefault()
  event.stopImmediatePropagation()
}

/** Where a page goes away, so do its questions: they count as not answered. */
export function dismissPrompts(): void {
  for (const prompt of [...open.get()].reverse()) prompt.dismiss()
}

export const isAsking = (): boolean => isLoading || open.get().length > 0

export const usePrompts = open.use
