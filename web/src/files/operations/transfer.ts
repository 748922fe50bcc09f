import type { TransferRequest, Transferred } from './transfer-plan.ts'

/**
 * Copies or moves entries to a folder, see transfer-entries.ts, which is loaded when it is first needed. Answers what
 * went there, or null when nothing did.
 */
export const transferEntries = async (request: TransferRequest): Promise<Transferred | null> =>
  (await import('./transfer-entries.ts')).transferEntries(request)
