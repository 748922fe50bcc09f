import {
  type Conflicts,
  type ConflictsRequest,
  type Job,
  type JobChange,
  type JobRequest,
  mostJobItems,
} from '@filestead/contract'
import { call, getJson, throwConnectionLost } from '../client.ts'

/**
 * Starts work that goes on without this page. Answers the job: over already where it took less than a moment. A guest
 * has no jobs: the answer comes when the work is over, and an aborted request ends it.
 */
export async function startJob(request: JobRequest, signal?: AbortSignal): Promise<Job> {
  const headers = { Prefer: 'respond-async' }
  const response = await call('POST', 'jobs', { body: request, headers, mayGoOn: true, ...(signal && { signal }) })
  return response.json().catch(throwConnectionLost)
}

export const readJob = (id: string, signal: AbortSignal): Promise<Job> =>
  getJson(`jobs/${encodeURIComponent(id)}`, { signal, isBackground: true })

/** Of all accounts, for administrators: those that are not over, and the last ones that are. */
export const readAllJobs = (signal: AbortSignal): Promise<Job[]> =>
  getJson('jobs?all=true', { signal, isBackground: true })

/** Pauses, resumes, cancels or retries, or answers what is asked. Answers the job as it is now. */
export const changeJob = async (id: string, change: JobChange): Promise<Job> =>
  (await call('PATCH', `jobs/${encodeURIComponent(id)}`, { body: change })).json().catch(throwConnectionLost)

/** Takes a job that is over off the list. */
export const removeJob = async (id: string): Promise<void> =>
  void (await call('DELETE', `jobs/${encodeURIComponent(id)}`))

/** Which of these names are taken, below folders that would be merged, too. */
export async function takenNames(items: ConflictsRequest['items'], signal: AbortSignal): Promise<Conflicts> {
  const found: Conflicts = { conflicts: [], identical: 0, isCut: false }
  for (let at = 0; at < items.length; at += mostJobItems) {
    const body: ConflictsRequest = { items: items.slice(at, at + mostJobItems) }
    const response = await call('POST', 'conflicts', { body, signal })
    const part: Conflicts = await response.json().catch(throwConnectionLost)
    for (const conflict of part.conflicts) found.conflicts.push(conflict)
    found.identical += part.identical
    found.isCut ||= part.isCut
  }
  return found
}
