import { sessionStore } from '../state/session-scope.ts'

export interface Toast {
  id: number
  /** A question waits for its answer, and is no failure. */
  kind: 'success' | 'error' | 'question'
  text: string
  /** What can still be done about it, such as taking a move back. */
  action?: { label: string; run: () => void }
}

/** With more than this the oldest goes: a success before an error, which is there to be read. */
const mostShown = 5

const toasts = sessionStore<readonly Toast[]>([])
let lastId = 0

/** Says that something worked. Goes away by itself. */
export function toastSuccess(text: string): void {
  add({ kind: 'success', text })
}

/** The same, an error or a question, with a button. Answers the id, for an offer that ends before the toast does. */
export const toastOffer = (text: string, action: Toast['action'], kind: Toast['kind'] = 'success'): number =>
  add({ kind, text, action })

/** Says that something did not work. Stays until it is closed. */
export function toastError(text: string): void {
  if (!toasts.get().some((toast) => toast.kind === 'error' && toast.text === text)) add({ kind: 'error', text })
}

export function closeToast(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id))
}

export const useToasts = toasts.use

/** Counts the wishes of the keyboard to get to the toasts, or back from them. */
const focusWishes = sessionStore(0)

export const toggleToastFocus = (): void => focusWishes.set(focusWishes.get() + 1)

export const useToastFocusWishes = focusWishes.use

export const shownToasts = toasts.get

function add(toast: Omit<Toast, 'id'>): number {
  lastId += 1
  // The same text again replaces the first one, unless that one offers an action: each action is another one.
  const shown = toasts.get().filter((each) => each.text !== toast.text || each.action !== undefined)
  const tooOld = shown.length < mostShown ? undefined : (shown.find(({ kind }) => kind === 'success') ?? shown[0])
  toasts.set([...shown.filter((each) => each !== tooOld), { ...toast, id: lastId }])
  return lastId
}
