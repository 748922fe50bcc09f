import type { FileAction } from '../../actions/action.ts'
import { askWith } from '../../prompts/prompts.ts'

export const info: FileAction = {
  id: 'info',
  label: 'info.info',
  icon: 'info',
  isAvailable: ({ view }) => view !== 'none',
  async run({ folder, chosen }) {
    await askWith(async () => (await import('./InfoPrompt.tsx')).InfoPrompt, { folder, entries: chosen })
  },
}
