import { useEffect } from 'react'
import { allJobs } from '../activity/all-jobs.ts'
import { provideAnswers } from '../activity/answers.ts'
import { useJobsInTray } from '../activity/watch-jobs.ts'
import { registerCommands } from '../commands/registry.ts'
import { checksums, compress, extractHere, extractTo } from '../files/archives/commands.ts'
import { goToPath, PathEditor } from '../files/browse/PathEditor.tsx'
import { previousVersions, showDeleted } from '../files/history/commands.ts'
import { KeepQuestionSlot } from '../files/history/KeepQuestionSlot.tsx'
import { undoCommands } from '../files/operations/redo.ts'
import { removeForGood } from '../files/operations/remove-for-good.ts'
import { undo } from '../files/operations/undo.ts'
import { recentChanges } from '../files/trash/recent-changes.ts'
import { addFavourite, removeFavourite } from '../files/tree/favourite.ts'
import { SidebarPlaces } from '../files/tree/SidebarPlaces.tsx'
import { followServer } from '../server/live/live.ts'
import { useScope } from '../state/session-scope.ts'

provideAnswers(async (job) => (await import('../files/operations/conflicts/ask-about-transfer.ts')).askAboutJob(job))
registerCommands([addFavourite, removeFavourite, goToPath, allJobs, extractHere, extractTo, compress, checksums])
registerCommands([previousVersions, showDeleted])
registerCommands([...undoCommands(undo), removeForGood, recentChanges])

/**
 * What is loaded when the first screen is there: the larger part of the sidebar, commands that can wait for it, and what
 * others change.
 */
export function Later({ isShown }: { isShown: boolean }) {
  const scope = useScope()
  useEffect(() => followServer(scope), [scope])
  useJobsInTray()
  return (
    <>
      <SidebarPlaces isShown={isShown} />
      <PathEditor />
      <KeepQuestionSlot />
    </>
  )
}
