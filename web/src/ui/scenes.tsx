import type { ReactNode } from 'react'

/** Scenes of one small place, for what is empty, missing, closed or broken; drawn on 200 by 140. */
export const scenes = {
  empty: (
    <>
      <g stroke="var(--ill-line)" strokeWidth="1.75" strokeLinecap="round" strokeLinejoin="round" fill="none">
        <path d="M8 118c24-6 40-3 62-3s34 5 60 3 42-6 62-2" />
        <path fill="var(--ill-paper)" d="M62 115V76l25-25 56 30v34" />
        <path d="M56 80.5 84 52.5a4.5 4.5 0 0 1 5.3-.8L150 84.5" />
        <path fill="var(--ill-back)" d="M82 115V91.5a2.5 2.5 0 0 1 2.5-2.5h9.5l6 6V115Z" />
        <path d="M94 89v4a2 2 0 0 0 2 2h4" />
        <rect x="114" y="90" width="16" height="13" rx="2" fill="var(--wheat)" />
        <path d="M122 90v13M114 96.5h16" />
        <path d="M110 61V48h8v17" />
        <path d="M114 40c0-5 5-4.5 5-9M121 36c0-3 3-3 3-6" opacity=".55" />
        <path d="M22 116v-9M22 107c-5-1-7-5-6-10 5 1 7 5 6 10ZM22 111c4 0 7-3 7-7-4 0-7 3-7 7Z" />
        <path d="M166 115v-8M176 116v-10M186 117v-9M160 110.5c10-1 20-.5 32 1" />
      </g>
      <g
        stroke="var(--accent-text)"
        strokeWidth="1.75"
        strokeLinecap="round"
        strokeLinejoin="round"
        fill="var(--ill-paper)"
      >
        <path d="M37.5 34.5 50 30l8.5 4 4.8 13.3a2.5 2.5 0 0 1-1.5 3.2l-13 4.7a2.5 2.5 0 0 1-3.2-1.5L36 37.7a2.5 2.5 0 0 1 1.5-3.2Z" />
        <path d="m50 30 1.3 3.6a2.5 2.5 0 0 0 3.2 1.5L58.5 34" />
        <path d="M44 43l9-3.2M45.8 47.8l9-3.2" />
        <path fill="none" strokeDasharray="1 5" d="M10 20c8 0 15 3 20 8" />
      </g>
    </>
  ),
  '404': (
    <>
      <g stroke="var(--ill-line)" strokeWidth="1.75" strokeLinecap="round" strokeLinejoin="round" fill="none">
        <path d="M14 118c30-5 54-2 86-2s58 3 86-1" />
        <path d="M98 116V28h6v88" fill="var(--ill-paper)" />
        <path fill="var(--ill-paper)" d="M104 34h44l9 9-9 9h-44Z" />
        <path fill="var(--ill-back)" d="M98 60H58l-9 9 9 9h40Z" />
        <path d="M114 43h24M68 69h20" />
        <path d="M92 116c-2-5-6-7-11-7 1 4 5 7 11 7ZM112 116c1-4 4-6 9-6-1 4-4 6-9 6Z" />
        <path strokeDasharray="1 6" d="M30 126c20 6 44 2 62 4M112 131c22 3 44-2 62-6" />
      </g>
      <circle cx="101" cy="22" r="5" fill="var(--wheat)" stroke="var(--ill-line)" strokeWidth="1.75" />
    </>
  ),
  '403': (
    <>
      <g stroke="var(--ill-line)" strokeWidth="1.75" strokeLinecap="round" strokeLinejoin="round" fill="none">
        <path d="M14 118h172" />
        <path fill="var(--ill-paper)" d="M40 118V44l5-7 5 7v74ZM150 118V44l5-7 5 7v74Z" />
        <path d="M50 62h100M50 104h100M50 104l100-42" />
        <path
          fill="var(--ill-back)"
          d="M66 112V52l4-5 4 5v60ZM88 112V52l4-5 4 5v60ZM110 112V52l4-5 4 5v60ZM130 112V52l4-5 4 5v60Z"
        />
        <path d="M14 70h26M14 96h26M160 70h26M160 96h26" />
        <path d="M95 78v-5a6.5 6.5 0 0 1 13 0v5" />
        <rect x="90" y="78" width="23" height="19" rx="4" fill="var(--wheat)" />
        <path d="M101.5 85.5v4.5" />
      </g>
    </>
  ),
  '500': (
    <>
      <g stroke="var(--ill-line)" strokeWidth="1.75" strokeLinecap="round" strokeLinejoin="round" fill="none">
        <path d="M14 120c30-4 54-1 86-1s58 2 86-1" />
        <path fill="var(--ill-paper)" d="M66 119V92l20-20 46 25v22" />
        <path d="M60 97.5 83.5 74a4 4 0 0 1 4.7-.7L139 100.5" />
        <path fill="var(--ill-back)" d="M82 119v-17h12l4 4v13Z" />
        <rect x="110" y="103" width="13" height="9" rx="1.5" />
        <path
          fill="var(--ill-back)"
          d="M70 52a14 14 0 0 1 3-27.7A20 20 0 0 1 111 22a15.5 15.5 0 0 1 20 15c0 8.5-6.5 15-15 15Z"
        />
      </g>
      <path
        fill="var(--wheat)"
        stroke="var(--ill-line)"
        strokeWidth="1.75"
        strokeLinejoin="round"
        d="m101 45-13 19h10l-4 15 15-21H99Z"
      />
    </>
  ),
  offline: (
    <>
      <g stroke="var(--ill-line)" strokeWidth="1.75" strokeLinecap="round" strokeLinejoin="round" fill="none">
        <path d="M14 118c30-4 54-1 86-1s58 2 86-1" />
        <path fill="var(--ill-paper)" d="M36 117V90l16-16 38 21v22" />
        <path d="M31 94.5 49.5 76a3.5 3.5 0 0 1 4.2-.6L96 98.5" />
        <rect x="66" y="99" width="12" height="9" rx="1.5" fill="var(--wheat)" />
        <path d="M150 117V34M138 44h24M141 56h18" />
        <path d="M138 44c-14 12-22 14-30 14" />
        <path d="M74 66c6-1 9-3 13-5" />
        <path d="m103 53 5 5-5 5M92 56l-5 5 5 5" stroke="var(--accent-text)" />
        <path d="M162 44c8 5 14 7 24 8" />
      </g>
    </>
  ),
} satisfies Record<string, ReactNode>

export type SceneName = keyof typeof scenes
