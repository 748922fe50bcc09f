import type { Actor } from '../access/actor.ts'
import type { VirtualPath } from '../storage/path.ts'

/**
 * Somebody who has to know when files change their place. A witness runs the deed itself: what it remembers changes
 * only after the deed is done, and it can see to it that nothing wrong is shown meanwhile.
 */
export interface FileWitness {
  moving<T>(actor: Actor, from: VirtualPath, to: VirtualPath, deed: () => Promise<T>): Promise<T>
  removing<T>(actor: Actor, path: VirtualPath, deed: () => Promise<T>): Promise<T>
}
