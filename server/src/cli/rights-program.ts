import type { CommandLine } from './command-line.ts'
import { GrantFilterFlags } from './grants/flags.ts'
import { GroupFlags } from './groups/flags.ts'
import { MountChangeFlags, MountFlags } from './mounts/flags.ts'

const rootFlag = { group: 'Where', description: 'where the files of the first one are', value: '<folder>', short: 'r' }

const keysFlag = {
  group: 'Where',
  description: 'where the server finds the keys of buckets and other servers (default: /etc/filestead/keys)',
  value: '<folder>',
}

/** The commands for root folders, groups and what they may do. */
export function addRights(root: CommandLine): void {
  addMounts(root.below('mounts', 'manage the root folders that are served'))
  addGroups(root.below('groups', 'manage groups of users'))
  addGrants(root.below('grants', 'manage what users, groups, everybody and guests may do in folders'))
  addAccess(root.below('access', 'explain what people may do, and carry it to another instance'))
}

function addAccess(access: CommandLine): void {
  access
    .below(
      'why <who> <path>',
      "say what a user or guest may do at a path of theirs, or in a root folder as 'Photos:/a', and what decides it",
    )
    .worksOnDatabase()
    .canPrintJson()
    .flag('root', rootFlag)
    .runs(async () => (await import('./access/why.ts')).accessWhy)
  access
    .below('export <file>', 'write root folders, groups and grants, by names (.json, .yaml)')
    .worksOnDatabase()
    .runs(async () => (await import('./access/exchange.ts')).accessExport)
  access
    .below('import <file>', 'add the root folders, groups and grants that were exported; what cannot be is told')
    .worksOnDatabase()
    .flag('root', rootFlag)
    .runs(async () => (await import('./access/exchange.ts')).accessImport)
}

function addMounts(mounts: CommandLine): void {
  const load = () => import('./mounts/commands.ts')
  mounts
    .below('ls', 'show all root folders')
    .worksOnDatabase()
    .canPrintJson()
    .flag('root', rootFlag)
    .runs(async () => (await load()).mountsList)
  mounts
    .below('add <name> <folder>', 'serve a further folder, which no account sees before there is a grant')
    .worksOnDatabase()
    .canPrintJson()
    .flag('root', rootFlag)
    .flag('keysFolder', keysFlag)
    .flags(MountFlags)
    .runs(async () => (await load()).mountsAdd)
  mounts
    .below('update <mount>', 'change a root folder, given by name or id; what is not named stays as it is')
    .worksOnDatabase()
    .canPrintJson()
    .flag('root', rootFlag)
    .flag('keysFolder', keysFlag)
    .flags(MountChangeFlags)
    .flags(MountFlags)
    .runs(async () => (await load()).mountsUpdate)
  mounts
    .below('rm <mount>', 'serve a root folder no longer; the files stay, grants and links in it end')
    .worksOnDatabase()
    .flag('root', rootFlag)
    .runs(async () => (await load()).mountsRemove)
}

function addGroups(groups: CommandLine): void {
  const load = () => import('./groups/commands.ts')
  groups
    .below('ls', 'show all groups with their members')
    .worksOnDatabase()
    .canPrintJson()
    .runs(async () => (await load()).groupsList)
  groups
    .below('add <name> [members...]', 'make a group of users, given by id or name')
    .worksOnDatabase()
    .canPrintJson()
    .runs(async () => (await load()).groupsAdd)
  groups
    .below('update <group>', 'change a group, given by name or id')
    .worksOnDatabase()
    .canPrintJson()
    .flags(GroupFlags)
    .runs(async () => (await load()).groupsUpdate)
  groups
    .below('rm <group>', 'remove a group and all that was granted to it; its members stay users')
    .worksOnDatabase()
    .runs(async () => (await load()).groupsRemove)
}

function addGrants(grants: CommandLine): void {
  const load = () => import('./grants/commands.ts')
  grants
    .below('ls', 'show what is granted')
    .worksOnDatabase()
    .canPrintJson()
    .flag('root', rootFlag)
    .flags(GrantFilterFlags)
    .runs(async () => (await load()).grantsList)
  grants
    .below(
      'add <who> <folder> <rights...>',
      'allow alice, group:Team, everybody or guest to see, download, create, change, delete and share, all or none, in a folder such as /a or Photos:/a',
    )
    .worksOnDatabase()
    .canPrintJson()
    .flag('root', rootFlag)
    .runs(async () => (await load()).grantsAdd)
  grants
    .below('rm <which> [folder]', 'remove a grant, given by its number, or by whom and which folder it is for')
    .worksOnDatabase()
    .flag('root', rootFlag)
    .runs(async () => (await load()).grantsRemove)
}
