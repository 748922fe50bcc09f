import { type MouseEvent, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../../ui/Icon.tsx'
import styles from './AudioViewer.module.css'

export interface Song {
  name: string
  href: string
}

/** The recordings of the folder, in its order. */
export function Queue({
  songs,
  current,
  onOpen,
}: {
  songs: readonly Song[]
  current: string
  onOpen(name: string): void
}) {
  const { t } = useTranslation()
  const list = useRef<HTMLOListElement>(null)

  useEffect(() => {
    // Braces: newer browsers answer with a promise, which is no way to clean up.
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'center' })
  }, [])

  function open(event: MouseEvent, name: string) {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    onOpen(name)
  }

  return (
    <nav className={styles.queue} aria-labelledby="queue-title">
      <h3 id="queue-title">{t('preview.inThisFolder')}</h3>
      <ol ref={list}>
        {songs.map((song, index) => (
          <li key={song.name}>
            <a
              href={song.href}
              aria-current={song.name === current || undefined}
              onClick={(event) => open(event, song.name)}
            >
              <span className={styles.number} aria-hidden="true">
                {song.name === current ? <Icon name="volume" small /> : index + 1}
              </span>
              <bdi>{song.name}</bdi>
            </a>
          </li>
        ))}
      </ol>
    </nav>
  )
}
