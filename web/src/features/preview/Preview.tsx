import { parentOf, type Resource } from '@filestead/contract'
import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Entry, rawUrl, resourceQuery } from '../../api/resources.ts'
import { can } from '../../api/session.ts'
import { fileAddress, folderAddress } from '../../navigation/addresses.ts'
import { navigate } from '../../navigation/location.ts'
import { chooseWhenListed, enterFile } from '../../place/place.ts'
import { onSessionEnd } from '../../state/session-scope.ts'
import { Icon } from '../../ui/Icon.tsx'
import { announce } from '../../ui/live-status.ts'
import { goOn } from './going-on.ts'
import { Header, type HeaderAction } from './Header.tsx'
import { isRightToLeft, useFrameKeys } from './keys.ts'
import { isOnStage, previewKind } from './kind.ts'
import { useNeighbours } from './neighbours.ts'
import styles from './Preview.module.css'
import { useResting } from './resting.ts'
import { useSwipe } from './swipe.ts'
import { Viewer } from './Viewer.tsx'
import { Waiting } from './Waiting.tsx'

/** Which side button led here: it keeps the focus, so that one can go on stepping. */
let steppedBy: 'previous' | 'next' | null = null

onSessionEnd(() => {
  steppedBy = null
})

/** One file over the whole screen: the frame, the way to its neighbours, and the viewer for its kind. */
export function Preview({ file }: { file: Resource }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const kind = previewKind(file)
  const folder = parentOf(file.path)
  const frame = useRef<HTMLElement>(null)
  const [isPlaying, setIsPlaying] = useState(false)
  const wanted = useRef<string | null>(null)
  const [isGoing, setIsGoing] = useState(false)
  const { neighbours, isKnown } = useNeighbours(file)
  const early = useRef<-1 | 1 | null>(null)
  const { previous, next, all, position } = neighbours
  const isResting = useResting(frame, kind === 'image' || (kind === 'video' && isPlaying))

  useEffect(() => enterFile('preview', folder, file), [folder, file])
  useEffect(() => announce(file.name), [file.name])
  useEffect(
    () => () => {
      wanted.current = null
    },
    [],
  )
  useEffect(() => {
    const side = steppedBy
    steppedBy = null
    const buttons = frame.current?.querySelectorAll<HTMLElement>('[data-side]')
    if (side !== null) [...(buttons ?? [])].find((button) => button.dataset.side === side)?.focus()
  }, [])

  function close() {
    goOn(false)
    chooseWhenListed(folder, file.name)
    void navigate(folderAddress(folder))
  }

  async function open(entry: Entry) {
    wanted.current = entry.path
    setIsGoing(true)
    // Asked before going there, so that the screen goes from one to the other without a gap. A failure shows there.
    await cache.ensureQueryData(resourceQuery(entry.path)).catch(() => {})
    // Who has left meanwhile, or wants another one now, is not taken there.
    if (wanted.current !== entry.path) return
    await navigate(fileAddress(entry.path), { replace: true })
    setIsGoing(false)
  }

  function step(direction: -1 | 1) {
    const target = direction === 1 ? next : previous
    if (target !== null) void open(target)
    else if (!isKnown) early.current = direction
  }

  // Who steps before it is known what lies beside the file goes there once it is.
  const stepEarly = useEffectEvent(() => {
    if (early.current !== null) step(early.current)
  })
  useEffect(() => {
    if (isKnown) stepEarly()
  }, [isKnown])

  const forward = () => step(1)
  const back = () => step(-1)
  useFrameKeys({
    Escape: close,
    Enter: forward,
    ArrowRight: isRightToLeft() ? back : forward,
    ArrowLeft: isRightToLeft() ? forward : back,
  })
  const swipe = useSwipe(step)

  const own: HeaderAction[] = []
  if (kind === 'csv' && can('modify'))
    own.push({
      id: 'edit-as-text',
      label: t('preview.editAsText'),
      icon: 'edit',
      run: () => void navigate(`${fileAddress(file.path)}?edit=true`),
    })
  if ((kind === 'image' || kind === 'video' || kind === 'audio') && can('download'))
    own.push({
      id: 'view-raw',
      label: t('preview.viewRaw'),
      icon: 'external',
      run: () => void window.open(rawUrl(file.path, { inline: true }), '_blank', 'noopener'),
    })

  const steps = (
    <>
      {previous !== null && <StepButton side="previous" onClick={() => stepBy('previous', back)} />}
      {next !== null && <StepButton side="next" onClick={() => stepBy('next', forward)} />}
    </>
  )

  return (
    <main id="content" tabIndex={-1} className={styles.main} data-view="preview" aria-busy={isGoing}>
      <h1 className={styles.unseen}>{t('preview.title')}</h1>
      <section
        ref={frame}
        // The name that installed custom style sheets know.
        id="previewer"
        className={styles.frame}
        aria-label={t('preview.title')}
        data-preview-type={kind}
        data-stage={isOnStage(kind) ? 'dark' : 'plain'}
        data-resting={isResting}
      >
        <Header
          name={file.name}
          position={
            position === -1 || all.length < 2
              ? null
              : t('preview.position', { position: position + 1, count: all.length })
          }
          own={own}
          steps={isOnStage(kind) ? null : steps}
          onClose={close}
        />
        <div className={styles.content} {...(kind !== 'image' && isOnStage(kind) && swipe)}>
          <Suspense fallback={<Waiting />}>
            <Viewer
              file={file}
              kind={kind}
              neighbours={neighbours}
              onStep={step}
              onOpen={(entry) => void open(entry)}
              onPlaying={setIsPlaying}
            />
          </Suspense>
          {isOnStage(kind) && steps}
          {isGoing && <Waiting />}
        </div>
      </section>
    </main>
  )
}

function stepBy(side: 'previous' | 'next', go: () => void): void {
  steppedBy = side
  go()
}

function StepButton({ side, onClick }: { side: 'previous' | 'next'; onClick(): void }) {
  const { t } = useTranslation()
  const label = t(`preview.${side}`)
  return (
    <div data-bar>
      <button type="button" className={styles.step} data-side={side} aria-label={label} title={label} onClick={onClick}>
        <Icon name={side === 'next' ? 'chevron-right' : 'chevron-left'} />
      </button>
    </div>
  )
}
