import { readlinkSync } from 'node:fs'
import { posix } from 'node:path'
import { tolerating } from '../linux/errno.ts'
import type { Kernel, Name, Stat } from '../linux/kernel.ts'
import { isLink } from '../linux/modes.ts'
import { type NameTest, namesKept } from '../reserved-names.ts'
import { privateFiles } from './private-files.ts'

/** What belongs to the product, by full path, whether it is there or not. */
export interface OwnPaths {
  /** A file or folder: known by its identity, and by its name in its folder. */
  readonly paths: readonly string[]
  /** The same, and every name in that folder that begins with this one: companions, copies, versions put aside. */
  readonly families: readonly string[]
  /** Databases beside which a list names more families: backups and exports, made while the server runs. */
  readonly listedBeside: readonly string[]
}

/** The server's own database, cache and the like: not part of the storage, wherever they lie and whatever they are called. */
export interface OwnFiles {
  is(identity: Identity): boolean
  /** Could something with this inode be the server's own? To be asked first where the device is not known. */
  hasInode(inode: number): boolean
  /** Does the folder hold something of the server's own, at any depth? */
  holds(identity: Identity): boolean
  /** Must it stay where it is, because the way to something of the server's own leads through it? */
  keeps(identity: Identity): boolean
  /** Which names in this folder are kept for something of the server's own, whether they are there or not? None in most folders. */
  namesIn(folder: Identity): ((name: string) => boolean) | undefined
  /** The same for one name: the folder is looked at only where the name is kept anywhere. */
  reserves(name: Name, folder: () => Identity): boolean
  /** Another one as soon as other files are the server's own. */
  readonly edition: object
  /** Finds what has been renewed or has appeared since; asked often, it looks now and then. */
  refresh(): void
}

/** By inode first, because that alone settles nearly every question; then the devices on which a file with it is the server's own. */
type Identities = Map<number, Set<number>>

interface Identity {
  readonly inode: number
  readonly device: number
}

/** What was found at one moment. */
interface Found {
  /** All of the below in one text: while it stays the same, nothing has changed. */
  readonly print: string
  readonly own: Identities
  readonly holders: Identities
  readonly kept: Identities
  readonly reserved: Map<number, Map<number, NameTest>>
  /** Is the name reserved in any folder? Settles nearly every question without a look at the disk. */
  readonly anywhere: NameTest
}

interface Way {
  readonly real: string | undefined
  readonly links: readonly string[]
}

/** What this process cannot reach is not reached through it. */
const unreachable = ['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG']

/** Files are renewed while the server runs: certificates, logs, what an administrator edits. */
const often = 1000
/** In milliseconds: so long a look decides that something is the server's own. */
const momentarily = 20

/**
 * Knows the server's own files by identity, so that no link, mount or other name leads to them, and by name in the folders
 * concerned, so that what appears there later counts from its first moment.
 */
export function findOwnFiles(kernel: Kernel, places: OwnPaths, now: () => number = () => performance.now()): OwnFiles {
  let found = lookFor(kernel, places)
  let edition = {}
  let lookedAt = now()

  function lookAgain(): void {
    lookedAt = now()
    let next: Found
    try {
      next = lookFor(kernel, places)
    } catch {
      // No descriptor is left, or a disk is away: what was known before still holds.
      return
    }
    if (next.print === found.print) return
    found = next
    edition = {}
  }

  /** The inode of an own file that was removed may be that of a user's new file by now. */
  function isStill(identity: Identity): boolean {
    if (now() - lookedAt > momentarily) lookAgain()
    return has(found.own, identity)
  }

  const testIn = ({ inode, device }: Identity) => found.reserved.get(inode)?.get(device)

  return {
    is: (identity) => has(found.own, identity) && isStill(identity),
    hasInode: (inode) => found.own.has(inode),
    holds: (identity) => has(found.holders, identity),
    keeps: (identity) => has(found.kept, identity),
    namesIn: testIn,
    reserves(name, folderOf) {
      const text = textOf(name)
      return found.anywhere(text) && (testIn(folderOf())?.(text) ?? false)
    },
    get edition() {
      return edition
    },
    refresh() {
      if (now() - lookedAt > often) lookAgain()
    },
  }
}

const textOf = (name: Name): string => (typeof name === 'string' ? name : Buffer.from(name).toString())

const has = (among: Identities, { inode, device }: Identity): boolean => among.get(inode)?.has(device) ?? false

function lookFor(kernel: Kernel, { paths, families: named, listedBeside }: OwnPaths): Found {
  const families = [...named, ...listedBeside.flatMap(privateFiles)]
  const prints: string[] = []
  const own: Identities = new Map()
  const holders: Identities = new Map()
  const kept: Identities = new Map()
  const names = new Map<string, { exact: string[]; families: string[] }>()
  const looked = new Map<string, Stat | undefined>()
  const ways = new Map<string, Way>()

  for (const path of new Set([...paths, ...families])) {
    const isFamily = families.includes(path)
    const { real, links } = wayTo(path)
    for (const link of links) remember(kept, link)
    // The name as it was given, where the next start looks for it, and the one that links lead to from there.
    for (const name of new Set([path, ...(real === undefined ? [] : [real])])) reserve(name, isFamily)
    if (real === undefined || !remember(own, real)) continue
    for (const folder of foldersAbove(real)) for (const among of [holders, kept]) remember(among, folder)
  }

  const reserved = new Map<number, Map<number, NameTest>>()
  for (const [folder, { exact, families }] of names) {
    const identity = identityOf(folder)
    if (identity === undefined) continue
    const devices = reserved.get(identity.inode) ?? new Map<number, NameTest>()
    reserved.set(identity.inode, devices.set(identity.device, namesKept(exact, families)))
    for (const kin of [folder, ...foldersAbove(folder)]) remember(kept, kin)
    prints.push(`${folder} ${identity.inode}:${identity.device} ${[...exact, '', ...families].join('/')}`)
  }
  const lists = [...names.values()]
  const anywhere = namesKept(
    lists.flatMap(({ exact }) => exact),
    lists.flatMap(({ families }) => families),
  )
  return { print: prints.join('\n'), own, holders, kept, reserved, anywhere }

  /** In the real folder; where that is missing, the first name that is missing on the way to it. */
  function reserve(path: string, isFamily: boolean): void {
    const folder = wayTo(posix.dirname(path)).real
    if (folder === undefined) {
      if (posix.dirname(path) !== path) reserve(posix.dirname(path), false)
      return
    }
    const kin = names.get(folder) ?? { exact: [], families: [] }
    names.set(folder, kin)
    const list = isFamily ? kin.families : kin.exact
    if (!list.includes(posix.basename(path))) list.push(posix.basename(path))
  }

  function remember(among: Identities, path: string): boolean {
    const identity = identityOf(path)
    if (identity === undefined) return false
    const { inode, device } = identity
    const devices = among.get(inode) ?? new Set()
    if (!devices.has(device)) prints.push(`${path} ${inode}:${device}`)
    among.set(inode, devices.add(device))
    return true
  }

  function identityOf(path: string): Stat | undefined {
    if (!looked.has(path))
      looked.set(
        path,
        tolerating(unreachable, () => kernel.look(-1, path)),
      )
    return looked.get(path)
  }

  /** Where a path leads, if anything is there, and the links on the way: without them it would lead elsewhere. */
  function wayTo(path: string): Way {
    const known = ways.get(path)
    if (known !== undefined) return known
    const way = followed(path)
    ways.set(path, way)
    return way
  }

  function followed(path: string): Way {
    const links: string[] = []
    const pending = namesIn(path)
    let at = ''
    for (let name = pending.shift(); name !== undefined && links.length <= mostLinks; name = pending.shift()) {
      if (name === '.') continue
      if (name === '..') {
        at = at.slice(0, Math.max(at.lastIndexOf('/'), 0))
        continue
      }
      const stat = identityOf(`${at}/${name}`)
      if (stat === undefined) return { real: undefined, links }
      const target = isLink(stat.mode) ? tolerating(unreachable, () => readlinkSync(`${at}/${name}`)) : undefined
      if (target === undefined) at = `${at}/${name}`
      else {
        links.push(`${at}/${name}`)
        pending.unshift(...namesIn(target))
        if (target.startsWith('/')) at = ''
      }
    }
    return { real: at || '/', links }
  }
}

const mostLinks = 40

const namesIn = (path: string): string[] => path.split('/').filter(Boolean)

function foldersAbove(path: string): string[] {
  const folders: string[] = []
  for (let folder = path; folder !== '/'; ) {
    folder = posix.dirname(folder)
    folders.push(folder)
  }
  return folders
}
