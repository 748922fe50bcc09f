import type { Group, Subject, User } from '@filestead/contract'
import { compareNames } from '../../i18n/format.ts'
import { t } from '../../i18n/i18n.ts'
import type { GlyphName } from '../../ui/glyphs.tsx'

/** A person or a group that can be picked. */
export interface Choice {
  /** A subject: 'user:3', 'group:2', 'everybody', 'guest'. */
  key: Subject
  label: string
  icon: GlyphName
  /** Says what it is, where the name does not. */
  note?: string
}

/** Drawn at once: more than one looks through, few enough for every key that is pressed. */
const mostShown = 50

/** The first choices whose names hold the text, those that begin with it before the others, and how many are left out. */
export function matching(choices: readonly Choice[], text: string): { shown: Choice[]; more: number } {
  const wanted = text.trim().toLocaleLowerCase()
  const fitting = choices
    .map((choice) => ({ choice, at: choice.label.toLocaleLowerCase().indexOf(wanted) }))
    .filter(({ at }) => at !== -1)
  const ordered = [...fitting.filter(({ at }) => at === 0), ...fitting.filter(({ at }) => at > 0)]
  return {
    shown: ordered.slice(0, mostShown).map(({ choice }) => choice),
    more: Math.max(0, ordered.length - mostShown),
  }
}

export const choicesOfUsers = (users: readonly User[]): Choice[] =>
  users
    .map(({ id, username }): Choice => ({ key: `user:${id}`, label: username, icon: 'user' }))
    .sort((a, b) => compareNames(a.label, b.label))

export const choicesOfGroups = (groups: readonly Group[]): Choice[] =>
  groups
    .map(
      ({ id, name, members }): Choice => ({
        key: `group:${id}`,
        label: name,
        icon: 'group',
        note: t('rights.picker.members', { count: members.length }),
      }),
    )
    .sort((a, b) => compareNames(a.label, b.label))

/** Everyone that a grant can be for. */
export const choicesOfSubjects = (users: readonly User[], groups: readonly Group[]): Choice[] => [
  { key: 'everybody', label: t('rights.everybody'), icon: 'globe', note: t('rights.everybodyHelp') },
  { key: 'guest', label: t('rights.guests'), icon: 'eye', note: t('rights.guestsHelp') },
  ...choicesOfGroups(groups),
  ...choicesOfUsers(users),
]

/** The number in 'user:3' or 'group:3'. */
export const idOf = (key: Subject): number => Number(key.slice(key.indexOf(':') + 1))
