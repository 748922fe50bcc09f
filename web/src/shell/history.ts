/** What was typed before, newest last, and where the person is in it. `draft` is what they were typing. */
export interface History {
  readonly lines: readonly string[]
  /** `lines.length` stands for the draft. */
  readonly at: number
  readonly draft: string
}

export const noHistory: History = { lines: [], at: 0, draft: '' }

export function remember(history: History, line: string): History {
  const lines = history.lines.at(-1) === line ? history.lines : [...history.lines, line]
  return { lines, at: lines.length, draft: '' }
}

/** One line back (-1) or forward (1); what was being typed waits at the end. */
export function step(history: History, by: -1 | 1, typed: string): History {
  const draft = history.at === history.lines.length ? typed : history.draft
  return { ...history, draft, at: Math.min(history.lines.length, Math.max(0, history.at + by)) }
}

export const shownLine = ({ lines, at, draft }: History): string => lines[at] ?? draft
