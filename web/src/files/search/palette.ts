import type { Command } from '../../commands/command.ts'
import { hintOf } from '../../commands/keyboard.ts'
import { allCommands, run } from '../../commands/registry.ts'
import en from '../../i18n/en.json'
import { type TextKey, t } from '../../i18n/i18n.ts'
import { folderAddress } from '../../navigation/addresses.ts'
import { navigate } from '../../navigation/location.ts'
import { personalItem } from '../../state/personal-storage.ts'
import type { GlyphName } from '../../ui/glyphs.tsx'
import type { Workspace } from '../../workspace/workspace.ts'
import { matchScore } from './match.ts'

/** One line of the palette. */
export interface PaletteOption {
  readonly id: string
  readonly icon: GlyphName
  readonly label: string
  readonly keys?: string | undefined
  /** The palette closes before a command runs, and stays for a search. A path closes it once the page has gone there. */
  readonly closes: 'before' | 'after' | 'never'
  /** False where it came to nothing. */
  run(): unknown
}

/** What fits the typed text: a path, commands with the closest match first, and the search for that text. */
export function paletteOptions(text: string, workspace: Workspace, search: (text: string) => void): PaletteOption[] {
  const typed = text.trim()
  const options = commandsMatching(typed, workspace).map(optionOf)
  if (typed === '') return options
  const path = typed.startsWith('/') ? [pathOption(typed)] : []
  return [...path, ...options, searchOption(typed, search)]
}

/** Those that were run last from the palette come first among equals. */
export function commandsMatching(
  typed: string,
  workspace: Workspace,
  commands: readonly Command[] = allCommands(),
  recent: readonly string[] = recentIds(),
): Command[] {
  const rankOf = ({ id }: Command) => (recent.includes(id) ? recent.indexOf(id) : recent.length)
  return commands
    .filter((command) => command.id !== 'palette' && command.when(workspace))
    .map((command) => ({ command, score: scoreOf(typed, command), rank: rankOf(command) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.rank - b.rank)
    .map(({ command }) => command)
}

/** The English words are known from manuals. A title is not compared: names of files in it are no commands. */
const scoreOf = (typed: string, { label }: Command): number =>
  Math.max(matchScore(typed, t(label)), matchScore(typed, englishText(label)))

function englishText(key: TextKey): string {
  let part: unknown = en
  for (const name of key.split('.')) part = (part as Record<string, unknown> | undefined)?.[name]
  return typeof part === 'string' ? part : ''
}

const optionOf = (command: Command): PaletteOption => ({
  id: command.id,
  icon: command.icon,
  label: command.title?.() ?? t(command.label),
  keys: hintOf(command),
  closes: 'before',
  run() {
    remember(command.id)
    return run(command)
  },
})

const pathOption = (path: string): PaletteOption => ({
  id: 'go-to',
  icon: 'arrow-right',
  label: t('search.goTo', { path }),
  closes: 'after',
  run: () => navigate(folderAddress(path.replace(/\/+$/, '') || '/')),
})

const searchOption = (text: string, search: (text: string) => void): PaletteOption => ({
  id: 'search-for',
  icon: 'search',
  label: t('search.searchFor', { text }),
  closes: 'never',
  run: () => search(text),
})

const recentItem = personalItem('recent-commands')
const mostRecent = 5

function recentIds(): string[] {
  try {
    return JSON.parse(recentItem.read() ?? '[]')
  } catch {
    return []
  }
}

function remember(id: string): void {
  const ids = [id, ...recentIds().filter((each) => each !== id)].slice(0, mostRecent)
  try {
    recentItem.write(JSON.stringify(ids))
  } catch {
    // A full storage remembers nothing new.
  }
}
