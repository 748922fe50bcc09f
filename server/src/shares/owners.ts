import type { Access } from '../access/access.ts'
import { accountWithId } from '../users/store.ts'
import type { ShareDeps } from './shares.ts'

/** What the owners of shares may do. Each is asked for once, so it is made for one question and thrown away. */
export function ownerAccesses({ db, access }: Pick<ShareDeps, 'db' | 'access'>) {
  const accesses = new Map<number, Promise<Access | undefined>>()
  const read = async (userId: number) => {
    const account = await accountWithId(db, userId)
    return account && access.ofUser(account.user)
  }
  return (userId: number): Promise<Access | undefined> => {
    const own = accesses.get(userId) ?? read(userId)
    accesses.set(userId, own)
    return own
  }
}
