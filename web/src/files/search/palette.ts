import { nameOf, parentOf } from '@filestead/contract'
import type { Command, PaletteEntry } from '../../commands/command.ts'
import { hintOf } from '../../commands/command-keys.ts'
import { run } from '../../commands/registry.ts'
import en from '../../i18n/en.json'
import { type TextKey, t } from '../../i18n/i18n.ts'
import { addressOf, folderAddress } from '../../navigation/addresses.ts'
import { navigate } from '../../navigation/location.ts'
import { resultsAddress } from '../../navigation/results-address.ts'
import { personalItem } from '../../state/personal-storage.ts'
import type { GlyphName } from '../../ui/glyphs.tsx'
import { type Place, recentPlaces } from '../../workspace/recent-places.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { matchScore } from './match.ts'

/** One line of the palette. */
export interface PaletteOption {
  readonly id: string
  readonly group: OptionGroup
  readonly icon: GlyphName
  readonly label: string
  readonly detail?: string | undefined
  readonly keys?: string | undefined
  /** What Ctrl+Enter opens in another tab. */
  readonly address?: string | undefined
  /** The typed text stands in it as it is, and not only its letters. */
  readonly isClose: boolean
  /** The palette closes before a command runs. An address closes it once the page has gone there. */
  readonly closes: 'before' | 'after'
  /** False where it came to nothing. */
  run(): unknown
}

export type OptionGroup = 'commands' | 'recent' | 'search' | PaletteEntry['group']

/** In the order of the screen. A search begins with what was opened last, where nothing is typed yet. */
const groups: readonly OptionGroup[] = ['commands', 'recent', 'places', 'view', 'settings', 'users']
const groupsOfSearch: readonly OptionGroup[] = ['recent', 'commands', 'places', 'view', 'settings', 'users']
/** So many of each group are offered for a typed text. All commands are, where nothing is typed. */
const mostOfGroup = 5

interface Offer {
  workspace: Workspace
  commands: readonly Command[]
  /** Pages, users and views; none until they are loaded. */
  entries: readonly PaletteEntry[]
  /** The folder that a search looks into. */
  folder: string
  withCommands: boolean
}

/** What fits the typed text: a path, then each group with the closest match first, and the search for that text. */
export function paletteOptions(text: string, offer: Offer): PaletteOption[] {
  const typed = text.trim()
  const fitting = [
    ...commandsMatching(typed, offer.workspace, offer.commands).map((command) => commandOption(command, typed)),
    ...recentMatching(typed, offer.workspace).map(placeOption),
    ...entriesMatching(typed, offer.entries).map((entry) => entryOption(entry, typed)),
  ]
  const most = typed === '' ? Number.POSITIVE_INFINITY : mostOfGroup
  const order = offer.withCommands ? groups : groupsOfSearch
  const options = order.flatMap((group) => fitting.filter((option) => option.group === group).slice(0, most))
  if (typed === '') return options
  const path = typed.startsWith('/') ? [pathOption(typed)] : []
  return [...path, ...options, searchOption(typed, offer.folder)]
}

/** Those that were run last from the palette come first among equals. */
export function commandsMatching(
  typed: string,
  workspace: Workspace,
  commands: readonly Command[],
  recent: readonly string[] = recentIds(),
): Command[] {
  const rankIn = ({ id }: Command) => (recent.includes(id) ? recent.indexOf(id) : recent.length)
  return commands
    .filter((command) => command.id !== 'palette' && command.when(workspace))
    .map((command) => ({ command, score: scoreOf(typed, t(command.label), command.label), rank: rankIn(command) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.rank - b.rank)
    .map(({ command }) => command)
}

/** Users are found by their names alone, and only once something is typed: there may be thousands. */
export const entriesMatching = (typed: string, entries: readonly PaletteEntry[]): PaletteEntry[] =>
  entries
    .filter(({ group }) => typed !== '' || group !== 'users')
    .map((entry) => ({ entry, score: scoreOf(typed, entry.label, entry.key) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ entry }) => entry)

function recentMatching(typed: string, { folder, view }: Workspace): Place[] {
  const isHere = ({ path }: Place) => view === 'listing' && path === folder
  return recentPlaces()
    .filter((place) => !isHere(place) && isClose(typed, nameOf(place.path)))
    .slice(0, mostOfGroup)
}

/** The English words are known from manuals. A title is not compared: names of files in it are no commands. */
const scoreOf = (typed: string, label: string, key?: TextKey): number =>
  typed === '' ? 2 : Math.max(matchScore(typed, label), key === undefined ? 0 : matchScore(typed, englishText(key)))

function englishText(key: TextKey): string {
  let part: unknown = en
  for (const name of key.split('.')) part = (part as Record<string, unknown> | undefined)?.[name]
  return typeof part === 'string' ? part : ''
}

const isClose = (typed: string, label: string, key?: TextKey): boolean => scoreOf(typed, label, key) > 1

const commandOption = (command: Command, typed: string): PaletteOption => ({
  id: command.id,
  group: 'commands',
  icon: command.icon,
  label: command.title?.() ?? t(command.label),
  keys: hintOf(command),
  isClose: isClose(typed, t(command.label), command.label),
  closes: 'before',
  run() {
    remember(command.id)
    return run(command)
  },
})

const entryOption = (entry: PaletteEntry, typed: string): PaletteOption => ({
  id: entry.id,
  group: entry.group,
  icon: entry.icon,
  label: entry.label,
  detail: entry.detail,
  address: entry.address,
  isClose: isClose(typed, entry.label, entry.key),
  closes: entry.address === undefined ? 'before' : 'after',
  run: () => entry.run(),
})

function placeOption(place: Place): PaletteOption {
  const above = parentOf(place.path)
  const address = addressOf(place)
  return {
    id: `recent ${place.path}`,
    group: 'recent',
    icon: place.isDir ? 'folder' : 'file',
    label: nameOf(place.path),
    detail: above === '/' ? t('frame.myFiles') : above,
    address,
    isClose: true,
    closes: 'after',
    run: () => navigate(address),
  }
}

function pathOption(path: string): PaletteOption {
  const address = folderAddress(path.replace(/\/+$/, '') || '/')
  const label = t('search.goTo', { path })
  return {
    id: 'go-to',
    group: 'commands',
    icon: 'arrow-right',
    label,
    address,
    isClose: true,
    closes: 'after',
    run: () => navigate(address),
  }
}

/** All results as a listing. */
function searchOption(text: string, folder: string): PaletteOption {
  const address = resultsAddress(folder, text)
  const label = t('search.searchFor', { text })
  return {
    id: searchId,
    group: 'search',
    icon: 'search',
    label,
    address,
    isClose: true,
    closes: 'after',
    run: () => navigate(address),
  }
}

export const searchId = 'search-for'

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
  recentItem.note(JSON.stringify(ids))
}
