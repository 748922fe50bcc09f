import type { ReactNode } from 'react'

const outline = 'M7.25 2.75h6l6 6v10a2.5 2.5 0 0 1-2.5 2.5h-9.5a2.5 2.5 0 0 1-2.5-2.5V5.25a2.5 2.5 0 0 1 2.5-2.5Z'

/** A leaf of paper with a folded corner. */
const sheet = (
  <>
    <path fill="var(--ft-tint)" d={outline} />
    <path d="M13.25 3v3.75a2 2 0 0 0 2 2H19" />
  </>
)

const wideCard = <rect x="2.75" y="4.25" width="18.5" height="15.5" rx="3" fill="var(--ft-tint)" />

const squareCard = <rect x="3.75" y="3.75" width="16.5" height="16.5" rx="3.5" fill="var(--ft-tint)" />

const folderWith = (front: string) => (
  <>
    <path
      stroke="none"
      fill="var(--ft-back)"
      d="M2 7.25A3.25 3.25 0 0 1 5.25 4h3.1c.8 0 1.55.3 2.1.85l1.3 1.25c.25.25.6.4 1 .4h6A3.25 3.25 0 0 1 22 9.75V16H2Z"
    />
    <path stroke="none" fill="var(--ft-front)" d={front} />
  </>
)

/** The marks of file types, drawn on 24 by 24. */
export const fileMarks = {
  folder: folderWith(
    'M2 11.25c0-1.1.9-2 2-2h16c1.1 0 2 .9 2 2v5.5A3.25 3.25 0 0 1 18.75 20H5.25A3.25 3.25 0 0 1 2 16.75Z',
  ),
  'folder-open': folderWith(
    'M3.5 12.45A2.25 2.25 0 0 1 5.7 10.75h15.2c1.3 0 2.25 1.2 1.95 2.45l-1.1 4.3A3.25 3.25 0 0 1 18.6 20H5.25A3.25 3.25 0 0 1 2 16.75Z',
  ),
  generic: sheet,
  text: (
    <>
      {sheet}
      <path d="M8.25 12.25h7.5M8.25 15h7.5M8.25 17.75h4.25" />
    </>
  ),
  doc: (
    <>
      {sheet}
      <path d="M8.25 9h2M8.25 12.25h7.5M8.25 15h7.5" />
      <path d="M8.25 17.75h5" />
    </>
  ),
  pdf: (
    <>
      {sheet}
      <path d="M8 17.9c2.2-.9 5.2-5.2 3.8-7.7-1.1-1.9-2.6.6-1 3.3s3.7 4.2 5.7 2.6c1.1-1.1-3.2-2.1-8.5 1.8Z" />
    </>
  ),
  code: (
    <>
      {sheet}
      <path d="m9.75 12-2.25 2.5L9.75 17M14.25 12l2.25 2.5L14.25 17" />
    </>
  ),
  sheet: (
    <>
      <rect x="3.75" y="3.75" width="16.5" height="16.5" rx="3" fill="var(--ft-tint)" />
      <path d="M4 9.25h16M4 14.75h16M10 9.25V20" />
    </>
  ),
  slides: (
    <>
      <rect x="2.75" y="4.25" width="18.5" height="12" rx="2.5" fill="var(--ft-tint)" />
      <path d="M12 16.5v2M8.5 20.75 12 18.5l3.5 2.25M7.5 12.75v-2M12 12.75V7.75M16.5 12.75v-3.5" />
    </>
  ),
  image: (
    <>
      {wideCard}
      <circle cx="8" cy="9.25" r="1.75" />
      <path d="m3 17 4.7-4.15a1.5 1.5 0 0 1 2 0l2.55 2.3 3.5-3.3a1.5 1.5 0 0 1 2 0L21 14.9" />
    </>
  ),
  video: (
    <>
      {wideCard}
      <path
        fill="currentColor"
        strokeWidth="1"
        d="M10 9.1v5.8c0 .4.4.6.7.4l4.5-2.9a.5.5 0 0 0 0-.8L10.7 8.7a.45.45 0 0 0-.7.4Z"
      />
    </>
  ),
  audio: (
    <>
      {squareCard}
      <path d="M7.5 10.75v2.5M10.5 8v8M13.5 9.75v4.5M16.5 11.25v1.5" />
    </>
  ),
  archive: (
    <>
      <path fill="var(--ft-tint)" d="M4.25 8.5h15.5v9.25a2.5 2.5 0 0 1-2.5 2.5H6.75a2.5 2.5 0 0 1-2.5-2.5Z" />
      <rect x="2.75" y="3.75" width="18.5" height="4.75" rx="1.75" fill="var(--ft-tint)" />
      <path d="M9.5 12.5h5" />
    </>
  ),
  font: (
    <>
      {squareCard}
      <path d="M7.75 16.25 11 7.75l3.25 8.5M8.9 13.5h4.2M16.25 16.25v-4" />
    </>
  ),
  exec: (
    <>
      {wideCard}
      <path d="m7 9.5 2.75 2.5L7 14.5M12.25 14.75h4.5" />
    </>
  ),
  disk: (
    <>
      <circle cx="12" cy="12" r="9.25" fill="var(--ft-tint)" />
      <circle cx="12" cy="12" r="2.5" />
      <path d="M12 5.75A6.25 6.25 0 0 1 18.25 12" />
    </>
  ),
  broken: (
    <>
      <path fill="var(--ft-tint)" strokeDasharray="2.5 2.6" d={outline} />
      <path d="M10.75 12.5 9.5 13.75a1.9 1.9 0 0 0 2.7 2.7M13.25 15.5l1.25-1.25a1.9 1.9 0 0 0-2.7-2.7M9 10.75l.25.25M15 17.25l-.25-.25" />
    </>
  ),
} satisfies Record<string, ReactNode>

export type FileMarkName = keyof typeof fileMarks
