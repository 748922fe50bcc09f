import { watchedInSession } from '../state/session-scope.ts'

export interface Toast {
  id: number
  kind: 'success' | 'error'
  text: string
  /** What can still be done about it, such as taking a move back. */
  action?: { label: string; run: () => void }
}

/** More than this and the oldest goes; what did not work is there to be read, so first what worked. */
const most = 10

const toasts = watchedInSession<readonly Toast[]>([])
let lastId = 0

/** Says that something worked. Goes away by itself. */
export const toastSuccess = (text: string, action?: Toast['action']): void => add({ kind: 'success', text, action })

/** Says that something did not work. Stays until it is closed. */
export const toastError = (text: string): void => {
  // The same refusal ten times over is one thing to read, not ten.
  if (!toasts.get().some((toast) => toast.kind === 'error' && toast.text === text)) add({ kind: 'error', text })
}

export function closeToast(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id))
}

export const useToasts = toasts.use

export const shownToasts = toasts.get

function add(toast: Omit<Toast, 'id'>): void {
  lastId += 1
  // Said again it is news again, yet one thing to read. What offers a way back stays: each leads somewhere else.
  const shown = toasts.get().filter((each) => each.text !== toast.text || each.action !== undefined)
  const tooOld = shown.length < most ? undefined : (shown.find(({ kind }) => kind === 'success') ?? shown[0])
  toasts.set([...shown.filter((each) => each !== tooOld), { ...toast, id: lastId }])
}
