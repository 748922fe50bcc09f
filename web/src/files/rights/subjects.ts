import type { Grant, Right, Subject } from '@filestead/contract'
import { t } from '../../i18n/i18n.ts'
import type { GlyphName } from '../../ui/glyphs.tsx'
import { inOrder, presetOf } from './presets.ts'

/** What a subject is called; users and groups have names of their own. */
export function nameOfSubject({ subject, name }: Pick<Grant, 'subject' | 'name'>): string {
  if (subject === 'everybody') return t('rights.everybody')
  return subject === 'guest' ? t('rights.guests') : name
}

/** Null for people, who have a letter. */
export function iconOfSubject(subject: Subject): GlyphName | null {
  if (subject === 'everybody') return 'globe'
  if (subject === 'guest') return 'eye'
  return subject.startsWith('group:') ? 'group' : null
}

/** The name of a set of rights. */
export const nameOfRights = (rights: readonly Right[]): string => t(`rights.presets.${presetOf(rights) ?? 'custom'}`)

/** The rights one by one. */
export const listOfRights = (rights: readonly Right[]): string =>
  rights.length === 0
    ? t('rights.presets.nothing')
    : inOrder(rights)
        .map((right) => t(`rights.names.${right}`))
        .join(', ')
