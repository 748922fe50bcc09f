import { sessionStore } from '../state/session-scope.ts'
import { useMedia } from '../ui/media.ts'
import { useWorkspace } from '../workspace/workspace.ts'

interface TrayState {
  /** Are lists unfolded? Null until the person has decided: then the width of the window does. */
  readonly isOpen: boolean | null
  /** Everything has ended well a while ago: lists are folded until something else begins or the person unfolds them. */
  readonly isResting: boolean
  /** Over a viewer the tray begins folded, whatever it is elsewhere. */
  readonly isOpenOverViewer: boolean
  /** Counts how often the keyboard was sent to the tray. */
  readonly focusRequests: number
}

const state = sessionStore<TrayState>({ isOpen: null, isResting: false, isOpenOverViewer: false, focusRequests: 0 })

const change = (changes: Partial<TrayState>): void => state.set({ ...state.get(), ...changes })

/** Unfolds the tray and sends the keyboard there. */
export const openTray = (): void =>
  change({ isOpen: true, isResting: false, focusRequests: state.get().focusRequests + 1 })

/** Folds the tray, or takes that back: unlike `setIsOpen` it decides nothing for the next time. */
export function restTray(isResting: boolean): void {
  if (state.get().isResting !== isResting) change({ isResting })
}

export const useFocusRequests = (): number => state.use(({ focusRequests }) => focusRequests)

interface TrayView {
  isOpen: boolean
  isOverViewer: boolean
  setIsOpen(isOpen: boolean): void
}

/** Unfolded lists would cover the page of a phone: there they begin folded. */
export function useTray(): TrayView {
  const { isOpen, isResting, isOpenOverViewer } = state.use()
  const isNarrow = useMedia('narrow')
  const isOverViewer = useWorkspace(({ view }) => view === 'preview')
  return {
    isOpen: isOverViewer ? isOpenOverViewer : !isResting && (isOpen ?? !isNarrow),
    isOverViewer,
    setIsOpen: (next) => change(isOverViewer ? { isOpenOverViewer: next } : { isOpen: next, isResting: false }),
  }
}

/** For when the button that had the focus is gone: the keyboard goes on where the files are. */
export const focusContent = (): void => document.getElementById('content')?.focus()
