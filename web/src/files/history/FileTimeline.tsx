import { nameOf } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { showFailure } from '../../dialogs/show-failure.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { navigate } from '../../navigation/location.ts'
import { pastAddress } from '../../navigation/past-address.ts'
import { inPast } from '../../server/queries/past.ts'
import { rawUrl } from '../../server/queries/resources.ts'
import { type Moment, timelineQuery } from '../../server/queries/timeline.ts'
import { Button } from '../../ui/Button.tsx'
import { saveFile } from '../download/save.ts'
import { isText } from '../formats/kinds.ts'
import { compare } from './compare.ts'
import { EmptyTimeline } from './EmptyTimeline.tsx'
import { MomentPreview } from './MomentPreview.tsx'
import { entryOf, stopsOf } from './moments.ts'
import { restoreMoment, saveMomentAs } from './restore-moment.ts'
import { TimelineFrame } from './TimelineFrame.tsx'

interface FileTimelineProps {
  path: string
  onClose(): void
}

/** The states of a file. At first the newest one that is not the present. */
export function FileTimeline({ path, onClose }: FileTimelineProps) {
  const { data, error, isPending, refetch } = useQuery({ ...timelineQuery(path), retry: false })
  const moments = useMemo(() => data?.moments ?? [], [data])
  const stops = useMemo(() => stopsOf(moments), [moments])
  const [chosen, setChosen] = useState<string | null>(null)
  const found = stops.findIndex(({ key, isNow }) => (chosen === null ? !isNow : key === chosen))
  const index = Math.max(found, 0)
  const moment = moments[index]
  const isEmpty = !isPending && error === null && !moments.some(({ past }) => past !== undefined)
  return (
    <TimelineFrame
      subject={<bdi dir="ltr">{path}</bdi>}
      stops={stops}
      index={index}
      onChoose={(at) => setChosen(stops[at]?.key ?? null)}
      isLoading={isPending}
      error={error}
      onRetry={() => void refetch()}
      empty={isEmpty ? <EmptyTimeline path={path} isDir={false} /> : null}
      isCut={data?.isCut === true}
      onClose={onClose}
      actions={moment !== undefined && <Actions path={path} moment={moment} moments={moments} onClose={onClose} />}
    >
      {moment !== undefined && <MomentPreview key={stops[index]?.key} path={path} moment={moment} />}
    </TimelineFrame>
  )
}

interface ActionsProps extends FileTimelineProps {
  moment: Moment
  moments: readonly Moment[]
}

/** What can be done with an older state. With the present one the page around does it. */
function Actions({ path, moment, moments, onClose }: ActionsProps) {
  const { t } = useTranslation()
  const [isBusy, setIsBusy] = useState(false)
  const { past } = moment
  if (past === undefined) return null
  const file = entryOf(path, moment)
  const hasOther = moments.some((other) => other !== moment && !other.isDir)

  async function restore() {
    setIsBusy(true)
    try {
      if (await restoreMoment(path, moment, moments)) onClose()
    } catch (failure) {
      showFailure(failure)
    } finally {
      setIsBusy(false)
    }
  }

  async function open() {
    if (await navigate(pastAddress(file, { past: moment.past ?? '', top: null, at: moment.at }))) onClose()
  }

  return (
    <>
      <Button look="line" icon="eye" onClick={() => void open()}>
        {t('history.open')}
      </Button>
      {isText(file) && hasOther && (
        <Button
          look="line"
          icon="split"
          onClick={() => void compare({ path, moments, first: moment }).catch(showFailure)}
        >
          {t('history.compare')}
        </Button>
      )}
      <Button look="line" icon="download" onClick={() => saveFile(inPast(rawUrl(path), past))}>
        {t('download.download')}
      </Button>
      <Button look="line" icon="copy" onClick={() => void saveMomentAs(path, moment).catch(showFailure)}>
        {t('history.saveAs')}
      </Button>
      {moment.canRestore && (
        <Button
          look="primary"
          icon="undo"
          isBusy={isBusy}
          aria-description={t('history.restoreHelp', { name: nameOf(path) })}
          onClick={() => void restore()}
        >
          {t('history.restore')}
        </Button>
      )}
    </>
  )
}
