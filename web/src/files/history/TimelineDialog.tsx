import type { QuestionProps } from '../../dialogs/ask.ts'
import { FileTimeline } from './FileTimeline.tsx'
import { FolderTimeline } from './FolderTimeline.tsx'

interface TimelineQuestion {
  path: string
  isDir: boolean
  /** Of a folder: at first only what is not there any more, or was different. */
  isOnlyGone: boolean
}

/** The states that a file or folder had, in one list and on one slider, and what can be done with each. */
export const TimelineDialog = ({ path, isDir, isOnlyGone, answer }: QuestionProps<TimelineQuestion, never>) =>
  isDir ? (
    <FolderTimeline top={path} isOnlyGone={isOnlyGone} onClose={() => answer(null)} />
  ) : (
    <FileTimeline path={path} onClose={() => answer(null)} />
  )
