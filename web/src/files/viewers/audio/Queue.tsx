import { type MouseEvent, useEffect, useRef } from 'react'
import type { Entry } from '../../../server/queries/resources.ts'
import { Icon } from '../../../ui/Icon.tsx'
import styles from './AudioViewer.module.css'

export interface QueueProps {
  songs: readonly Entry[]
  /** What they are the recordings of. */
  title: string
  /** The path of the one that plays. */
  current: string
  hrefOf(song: Entry): string
  onOpen(song: Entry): void
}

/** The recordings of a listing, in its order. */
export function Queue({ title, songs, current, hrefOf, onOpen }: QueueProps) {
  const queue = useRef<HTMLElement>(null)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the song is the trigger, not an input
  useEffect(() => {
    const element = queue.current
    const song = element?.querySelector<HTMLElement>('[aria-current]')
    if (element == null || song == null) return
    // Not scrollIntoView, which would scroll the page around as well.
    const { top, height } = song.getBoundingClientRect()
    const box = element.getBoundingClientRect()
    element.scrollTop += top - box.top - (box.height - height) / 2
  }, [current])

  function open(event: MouseEvent, song: Entry) {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    onOpen(song)
  }

  return (
    <nav ref={queue} className={styles.queue} aria-labelledby="queue-title">
      <h3 id="queue-title">{title}</h3>
      <ol>
        {songs.map((song, index) => (
          <li key={song.path}>
            <a
              href={hrefOf(song)}
              aria-current={song.path === current || undefined}
              onClick={(event) => open(event, song)}
            >
              <span className={styles.number} aria-hidden="true">
                {song.path === current ? <Icon name="volume" small /> : index + 1}
              </span>
              <bdi>{song.name}</bdi>
            </a>
          </li>
        ))}
      </ol>
    </nav>
  )
}
