import type { User } from '@filestead/contract'
import type { Access } from '../access/access.ts'
import { actorOf } from '../access/actor.ts'
import type { View } from '../access/sight.ts'
import { accountWithId } from '../users/store.ts'
import type { ShareDeps } from './shares.ts'

type OwnerDeps = Pick<ShareDeps, 'db' | 'access'>

/** What the owners of shares may do. Each is asked for once, so it is made for one question and thrown away. */
export const ownerAccesses = (deps: OwnerDeps) => eachOnce(deps, (_user, access): Access => access)

/** What the owners of shares see, in the same way. */
export const ownerViews = ({ settings, ...deps }: OwnerDeps & Pick<ShareDeps, 'settings'>) =>
  eachOnce(deps, async (user, access): Promise<View> => access.viewOf(actorOf(user, (await settings()).rules)))

function eachOnce<Found>({ db, access }: OwnerDeps, find: (user: User, access: Access) => Found | Promise<Found>) {
  const owners = new Map<number, Promise<Found | undefined>>()
  const read = async (userId: number) => {
    const account = await accountWithId(db, userId)
    return account && find(account.user, await access.ofUser(account.user))
  }
  return (userId: number): Promise<Found | undefined> => {
    const found = owners.get(userId) ?? read(userId)
    owners.set(userId, found)
    return found
  }
}
