import { sessionStore } from '../state/session-scope.ts'

/** The files whose content was replaced last by something else than the editor. Each time it is another value. */
export const replacedFiles = sessionStore<readonly string[]>([])

/** Tells an editor that has one of the files open: it shows the content of now. */
export const filesReplaced = (paths: readonly string[]): void => replacedFiles.set([...paths])
