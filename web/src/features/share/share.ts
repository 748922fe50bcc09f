import type { FileAction } from '../../actions/action.ts'
import { can } from '../../api/session.ts'
import { askWith } from '../../prompts/prompts.ts'

/** A link without the right to download would open on an empty page, so both are needed. */
export const share: FileAction = {
  id: 'share',
  label: 'share.share',
  icon: 'share',
  isAvailable: ({ chosen }) => chosen.length === 1 && can('share') && can('download'),
  async run({ chosen: [entry] }) {
    if (entry !== undefined) await askWith(async () => (await import('./SharePrompt.tsx')).SharePrompt, { entry })
  },
}
