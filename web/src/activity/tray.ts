import { sessionStore } from '../state/session-scope.ts'
import { useMedia } from '../ui/media.ts'
import { useWorkspace } from '../workspace/workspace.ts'

/** What is folded and unfolded by a button of its own. */
type TrayList = 'jobs' | 'uploads'

interface TrayState {
  /** Which lists the person has unfolded or folded, on a page and over a viewer. */
  readonly isOpen: Readonly<Record<string, boolean>>
  /** All uploads have ended well a while ago: their list is folded until others begin or the person unfolds it. */
  readonly isResting: boolean
  /** Counts how often the keyboard was sent to the tray. */
  readonly focusRequests: number
}

const state = sessionStore<TrayState>({ isOpen: {}, isResting: false, focusRequests: 0 })

const change = (changes: Partial<TrayState>): void => state.set({ ...state.get(), ...changes })

/** Unfolds the tray and sends the keyboard there. */
export const openTray = (): void =>
  change({ isOpen: { jobs: true, uploads: true }, isResting: false, focusRequests: state.get().focusRequests + 1 })

/** Folds the list of uploads, or takes that back: unlike `setIsOpen` it decides nothing for the next time. */
export function restTray(isResting: boolean): void {
  if (state.get().isResting !== isResting) change({ isResting })
}

export const useFocusRequests = (): number => state.use(({ focusRequests }) => focusRequests)

interface TrayView {
  isOpen: boolean
  isOverViewer: boolean
  setIsOpen(isOpen: boolean): void
}

/** Unfolded lists would cover the page of a phone, and a viewer: there they begin folded. */
export function useTray(list: TrayList): TrayView {
  const { isOpen, isResting } = state.use()
  const isNarrow = useMedia('narrow')
  const isOverViewer = useWorkspace(({ view }) => view === 'preview')
  const place = isOverViewer ? `${list} over a viewer` : list
  const rests = isResting && place === 'uploads'
  return {
    isOpen: !rests && (isOpen[place] ?? !(isOverViewer || isNarrow)),
    isOverViewer,
    setIsOpen: (next) => change({ isOpen: { ...isOpen, [place]: next }, isResting: isResting && !rests }),
  }
}

/** For when the button that had the focus is gone: the keyboard goes on where the files are. */
export const focusContent = (): void => document.getElementById('content')?.focus()
