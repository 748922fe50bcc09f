import { watchedInSession } from '../../state/session-scope.ts'

const isOpen = watchedInSession(false)

export const useIsShellOpen = isOpen.use

export const showShell = isOpen.set

export const toggleShellPanel = (): void => showShell(!isOpen.get())
