import { askWith } from '../../dialogs/ask.ts'
import type { Moment } from '../../server/queries/timeline.ts'

interface Comparison {
  path: string
  moments: readonly Moment[]
  first: Moment
}

/** Shows a text as it was beside the present one, or, where there is none, beside another state. */
export async function compare({ path, moments, first }: Comparison): Promise<void> {
  const others = moments.filter((moment) => moment !== first && !moment.isDir)
  const second = others.find(({ kind }) => kind === 'now') ?? others[0]
  if (second === undefined) return
  await askWith(async () => (await import('./CompareDialog.tsx')).CompareDialog, { path, moments, first, second })
}
