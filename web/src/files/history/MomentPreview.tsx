import { ErrorBoundary } from '../../errors/ErrorBoundary.tsx'
import { ViewFailure } from '../../errors/ViewFailure.tsx'
import { formatSize } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import type { Moment } from '../../server/queries/timeline.ts'
import { pastSource, sessionSource } from '../viewers/source.ts'
import { Viewer } from '../viewers/Viewer.tsx'
import { ModeContext } from '../viewers/ViewerParts.tsx'
import styles from './MomentPreview.module.css'
import { entryOf, textOf } from './moments.ts'
import { formatMoment } from './times.ts'

const alone = { previous: null, next: null, all: [], position: -1 }
const nothing = () => {}

/** The file as it was, small, above what is known about it. */
export function MomentPreview({ path, moment }: { path: string; moment: Moment }) {
  const { t } = useTranslation()
  const file = entryOf(path, moment)
  const { past, at, size } = moment
  const source = past === undefined ? sessionSource(file) : pastSource(file, { past, top: null })
  const facts = [
    past === undefined ? t('history.now') : formatMoment(at),
    past !== undefined && textOf(moment),
    size !== undefined && formatSize(size),
  ]
  return (
    <>
      <section className={styles.preview} aria-label={t('history.preview')}>
        <ErrorBoundary fallback={(failure) => <ViewFailure level={2} {...failure} />}>
          <ModeContext value="compact">
            <Viewer
              source={{ ...source, offersLinks: false }}
              file={file}
              neighbours={alone}
              onStep={nothing}
              onOpen={nothing}
              onPlaying={nothing}
            />
          </ModeContext>
        </ErrorBoundary>
      </section>
      <p className={styles.facts} role="status">
        {facts.filter(Boolean).join(' · ')}
      </p>
    </>
  )
}
