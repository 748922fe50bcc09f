import { type Job, type JobRequest, nameOf, parentOf } from '@filestead/contract'
import { problemOf } from '../../activity/job-texts.ts'
import { followJob } from '../../activity/jobs.ts'
import { t } from '../../i18n/i18n.ts'
import { ApiError } from '../../server/client.ts'
import { refreshUsage, showNow } from '../../server/operations/operation.ts'
import { startJob } from '../../server/queries/jobs.ts'
import { refreshFolders } from '../../server/queries/resources.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import { type Toast, toastError, toastOffer, toastSuccess } from '../../ui/toasts.ts'
import { only } from '../../workspace/selection.ts'
import { select, type Workspace, workspace } from '../../workspace/workspace.ts'
import { revealArrived } from '../operations/neighbours.ts'

interface Made {
  /** What is said when it is done. */
  text: string
  action?: Toast['action']
}

/** What a refusal means for this kind of work, where that is more than its code tells in general. */
type Reasons = (code: string) => string | undefined

/**
 * Starts a job that makes something at `to`, and says how it ended. The tray shows it meanwhile, and a job that outlives
 * the page is told there alone.
 */
export async function runToEnd(
  request: JobRequest & { to: string },
  made: (path: string) => Made,
  reasons: Reasons = () => undefined,
): Promise<'done' | undefined> {
  const session = sessionSignal()
  const begun = workspace()
  const started = await startJob(request, session).catch((error) => {
    const reason = error instanceof ApiError && error.code !== null ? reasons(error.code) : undefined
    throw reason === undefined ? error : new Error(reason, { cause: error })
  })
  const job = await followJob(started)
  session.throwIfAborted()
  const path = job.renamed.at(-1)?.to ?? request.to
  await showMade(path, begun, session)
  refreshUsage()
  // What is in it has changed, where it was there before.
  if (request.kind === 'extract') void refreshFolders(path)
  if (job.state === 'cancelled') return
  const problem = problemOf(job)
  if (job.state === 'failed') {
    toastError(reasons(job.problem?.code ?? '') ?? problem ?? t('failures.internal'))
    return
  }
  say(made(path), job, problem)
  return 'done'
}

/** The listing has it now, and it is selected there, unless something else was selected since. */
async function showMade(path: string, begun: Workspace, session: AbortSignal): Promise<void> {
  const [folder, name] = [parentOf(path), nameOf(path)]
  const { view, folder: shown, entries, selection } = workspace()
  const isShown = view === 'listing' && shown === folder && entries.some((entry) => entry.name === name)
  if (!isShown) revealArrived(folder, [name], begun, 'user')
  else if (selection === begun.selection) select(only(name))
  // What is new is there all the same, where the server cannot be asked for it.
  await showNow(folder, [name], session).catch(() => {})
}

function say({ text, action }: Made, { failures }: Job, problem: string | null): void {
  if (action === undefined) toastSuccess(text)
  else toastOffer(text, action)
  if (failures.length > 0 && problem !== null) toastError(problem)
}
