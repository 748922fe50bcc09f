import { linkPolicies } from '@filestead/contract'
import { z } from 'zod'
import { inGroup } from '../../config/descriptions.ts'
import { Choice, FilledText, Switch, Whole } from '../../config/values.ts'

const mount = inGroup('The root folder')

export const MountFlags = z.object({
  links: mount(
    Choice(linkPolicies).optional(),
    'symlinks lead to what is inside of it, or also outside (default: inside)',
    '<inside|outside>',
  ),
  readOnly: mount(Switch.optional(), 'nothing in it can be changed'),
  trash: mount(Choice(['on', 'off']).optional(), 'keep what is removed or replaced', '<on|off>'),
  trashDays: mount(Whole(0, 3650).optional(), 'so many days it is kept; 0 for ever (default: 30)', '<days>'),
  versions: mount(Choice(['on', 'off']).optional(), 'keep older versions of files', '<on|off>'),
  versionDays: mount(
    Whole(0, 3650).optional(),
    'so many days they are kept; 0 for ever, thinned out (default: 0)',
    '<days>',
  ),
})

/** Flags of `mounts update` alone. */
export const MountChangeFlags = z.object({
  name: mount(FilledText.optional(), 'new name', '<name>'),
  folder: mount(FilledText.optional(), 'another folder; grants and links stay as they are', '<folder>'),
})
