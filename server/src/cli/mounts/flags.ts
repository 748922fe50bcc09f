import { linkPolicies } from '@filestead/contract'
import { z } from 'zod'
import { inGroup } from '../../config/descriptions.ts'
import { Choice, FilledText, Switch } from '../../config/values.ts'

const mount = inGroup('The root folder')

export const MountFlags = z.object({
  links: mount(
    Choice(linkPolicies).optional(),
    'symlinks lead to what is inside of it, or also outside (default: inside)',
    '<inside|outside>',
  ),
  readOnly: mount(Switch.optional(), 'nothing in it can be changed'),
})

/** Flags of `mounts update` alone. */
export const MountChangeFlags = z.object({
  name: mount(FilledText.optional(), 'new name', '<name>'),
  folder: mount(FilledText.optional(), 'another folder; grants and links stay as they are', '<folder>'),
})
