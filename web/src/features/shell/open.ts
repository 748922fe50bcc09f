import { watched } from '../../state/watched.ts'

const isOpen = watched(false)

export const useIsShellOpen = isOpen.use

export const showShell = isOpen.set

export const toggleShellPanel = (): void => showShell(!isOpen.get())
