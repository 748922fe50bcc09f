import { perSession } from './session-scope.ts'

/** What is under way for a person and would stop if they left: asked about at sign-out, and before the page is closed. */

/** Says in a line what it is, for people. */
type Describe = () => string

const underWay = perSession(() => new Set<Describe>())
const holders = new Set<() => string | null>()

/** Answers how to say that it is over. */
export function beginWork(describe: Describe): () => void {
  const works = underWay()
  works.add(describe)
  addEventListener('beforeunload', warn)
  return () => {
    works.delete(describe)
    if (underWay().size === 0) removeEventListener('beforeunload', warn)
  }
}

/** For what is not under way, but given up by signing out. `null` while there is nothing. */
export function askedAtSignOut(describe: () => string | null): void {
  holders.add(describe)
}

/** What signing out would leave unfinished, a line each. */
export const unfinished = (): string[] => [
  ...[...underWay()].map((describe) => describe()),
  ...[...holders].flatMap((describe) => describe() ?? []),
]

/** Work of an earlier session is stopped already. */
function warn(event: BeforeUnloadEvent): void {
  if (underWay().size > 0) event.preventDefault()
}
