import { sessionStore } from '../../state/session-scope.ts'

/** The folders whose changes the server tells by itself at the moment. They need not be read again at intervals. */
export const followed = sessionStore<ReadonlySet<string>>(new Set())
