import { nameOf } from '@filestead/contract'
import { useEffect, useState } from 'react'
import type { QuestionProps } from '../../dialogs/ask.ts'
import { describeFailure } from '../../dialogs/show-failure.ts'
import { formatSize } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { readPastBytes } from '../../server/queries/past.ts'
import type { Moment } from '../../server/queries/timeline.ts'
import { Button, IconButton, Spinner } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { useMedia } from '../../ui/media.ts'
import { Select } from '../../ui/Select.tsx'
import { decodeText } from '../editor/text-file.ts'
import styles from './CompareDialog.module.css'
import { type Differences, TextDifferences } from './TextDifferences.tsx'
import { formatMoment } from './times.ts'
import whole from './WholeDialog.module.css'

interface CompareQuestion {
  path: string
  moments: readonly Moment[]
  first: Moment
  second: Moment
}

/** In bytes. Longer texts are downloaded and compared by programs that are made for it. */
const longestText = 4 * 1024 * 1024

/** Two states of a text beside each other; on a phone the newer one over the older one. */
export function CompareDialog({ path, moments, first, second, answer }: QuestionProps<CompareQuestion, never>) {
  const { t } = useTranslation()
  const isNarrow = useMedia('narrow')
  const texts = moments.filter(({ isDir }) => !isDir)
  const [chosen, setChosen] = useState([texts.indexOf(first), texts.indexOf(second)] as const)
  const sides = chosen.map((at) => texts[at])
  const read = useBoth(path, sides[0], sides[1])
  const [differences, setDifferences] = useState<Differences | null>(null)
  const close = () => answer(null)
  const options = texts.map((moment, at) => ({
    value: String(at),
    label: moment.kind === 'now' ? t('history.now') : formatMoment(moment.at),
  }))
  const found = read.status === 'read' ? (differences?.count ?? null) : null

  return (
    <Dialog
      title={t('history.compareTitle')}
      width="stage"
      onClose={close}
      asideAction={
        <span className={styles.steps}>
          <IconButton
            icon="arrow-up"
            label={t('history.previousDifference')}
            disabled={found === null || found === 0}
            onClick={() => differences?.step(-1)}
          />
          <IconButton
            icon="arrow-down"
            label={t('history.nextDifference')}
            disabled={found === null || found === 0}
            onClick={() => differences?.step(1)}
          />
          <span role="status">
            {found === 0 ? t('history.noDifferences') : found !== null && t('history.differences', { count: found })}
          </span>
        </span>
      }
      actions={
        <Button look="primary" data-autofocus="" onClick={close}>
          {t('buttons.close')}
        </Button>
      }
    >
      <div className={whole.whole}>
        <div className={styles.sides}>
          <Select
            label={t('history.firstSide')}
            value={String(chosen[0])}
            options={options}
            onChange={({ target }) => setChosen([Number(target.value), chosen[1]])}
          />
          <Select
            label={t('history.secondSide')}
            value={String(chosen[1])}
            options={options}
            onChange={({ target }) => setChosen([chosen[0], Number(target.value)])}
          />
        </div>
        {read.status === 'reading' && <Spinner />}
        {read.status === 'failed' && <p role="alert">{read.reason}</p>}
        {read.status === 'read' && (
          <TextDifferences
            key={`${chosen.join(' ')} ${isNarrow}`}
            name={nameOf(path)}
            before={read.texts[0]}
            after={read.texts[1]}
            isUnified={isNarrow}
            onFound={setDifferences}
          />
        )}
      </div>
    </Dialog>
  )
}

type Reading =
  | { status: 'reading' }
  | { status: 'read'; texts: readonly [string, string] }
  | { status: 'failed'; reason: string }

function useBoth(path: string, first: Moment | undefined, second: Moment | undefined): Reading {
  const { t } = useTranslation()
  const [reading, setReading] = useState<Reading>({ status: 'reading' })
  const isLong = [first, second].some((moment) => (moment?.size ?? 0) > longestText)
  const tooLong = t('history.tooLong', { limit: formatSize(longestText) })
  const [one, other] = [first?.past ?? null, second?.past ?? null]
  useEffect(() => {
    if (isLong) return setReading({ status: 'failed', reason: tooLong })
    const leaving = new AbortController()
    setReading({ status: 'reading' })
    const read = async (past: string | null) => decodeText(await readPastBytes(path, past, leaving.signal)).text
    Promise.all([read(one), read(other)]).then(
      (texts) => setReading({ status: 'read', texts }),
      (error) => {
        if (!leaving.signal.aborted) setReading({ status: 'failed', reason: describeFailure(error) })
      },
    )
    return () => leaving.abort()
  }, [path, one, other, isLong, tooLong])
  return reading
}
