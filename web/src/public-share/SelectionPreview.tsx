import { ErrorBoundary } from '../errors/ErrorBoundary.tsx'
import { ViewFailure } from '../errors/ViewFailure.tsx'
import { isText, previewKind } from '../files/formats/kinds.ts'
import { markOf } from '../files/marks/mark-of.ts'
import type { Neighbours } from '../files/viewers/neighbours.ts'
import { Viewer } from '../files/viewers/Viewer.tsx'
import { ModeContext } from '../files/viewers/ViewerParts.tsx'
import type { Entry } from '../server/queries/resources.ts'
import { FileMark } from '../ui/Icon.tsx'
import styles from './SelectionPreview.module.css'
import { type Shared, shareSource } from './shared.ts'

const alone: Neighbours = { previous: null, next: null, all: [], position: -1 }
const ignore = () => {}

/** The selected entry of a shared folder, small beside the list. */
export function SelectionPreview({ shared, entry }: { shared: Shared; entry: Entry }) {
  if (entry.isDir)
    return (
      <div className={styles.frame} data-look="mark">
        <FileMark name={markOf(entry)} />
      </div>
    )
  return (
    <div className={styles.frame} data-look={isText(entry) ? 'text' : previewKind(entry)}>
      <ModeContext value="compact">
        <ErrorBoundary of={entry.path} fallback={(failure) => <ViewFailure level={2} {...failure} />}>
          <Viewer
            source={shareSource(shared)}
            file={entry}
            neighbours={alone}
            onStep={ignore}
            onOpen={ignore}
            onPlaying={ignore}
          />
        </ErrorBoundary>
      </ModeContext>
    </div>
  )
}
