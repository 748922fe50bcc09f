import { encodePath, nameOf, parentOf, type Right, type ShareLink } from '@filestead/contract'
import { type Asked, demand, filesIn, isWithin, sightOf } from './rights-doors.ts'
import { areSiblings, type Evaluator, joined, type Place } from './rights-evaluator.ts'
import type { Ask } from './server.ts'
import { tusOf } from './tus.ts'

/** What a change may answer; undefined where the description leaves it open and only the disk is looked at. */
type Expected = 'done' | 'refused' | 'either'

export interface Change {
  readonly title: string
  readonly expected: Expected
  /** The rights that count for what appears, changes and goes away on the disk. */
  readonly rights: { readonly added?: Right; readonly changed?: Right; readonly removed?: Right }
  send(): Promise<number>
}

const either = (...all: readonly ('yes' | 'no' | 'undecided')[]): Expected =>
  all.includes('no') ? 'refused' : all.includes('undecided') ? 'either' : 'done'

/** Does nothing on the way lead elsewhere? Then text and place are the same. */
function plainPlace(model: Evaluator, path: string): Place | undefined {
  const place = model.locate(path)
  if (place === undefined || place === 'top') return undefined
  return model.follow({ mount: place.mount, path: parentOf(place.path) }).links === 0 ? place : undefined
}

const isPartRoot = (model: Evaluator, path: string): boolean =>
  path === '/' || (model.isNamed && parentOf(path) === '/')

/** A new file by one of the ways in; nothing is ever replaced by them. */
function creating(asked: Asked, send: () => Promise<number>, title: string): Change {
  const { model, path } = asked
  const rights = { added: 'create', changed: 'change' } as const
  const expected = (): Expected => {
    if (!model.has('create') || model.locate(path) === undefined) return 'refused'
    // The root is there already, which is no failure.
    if (isPartRoot(model, path)) return 'either'
    const place = plainPlace(model, path)
    if (place === undefined) return sightOf(model, path).is === 'none' ? 'refused' : 'either'
    if (!model.may('create', place) || model.kindAt(place) !== 'missing' || model.linkAt(place)) return 'refused'
    return model.kindAt({ mount: place.mount, path: parentOf(place.path) }) === 'folder' ? 'done' : 'either'
  }
  return { title, expected: expected(), rights, send }
}

const statusOf = async (pending: Promise<Response>): Promise<number> => {
  const response = await pending
  await response.arrayBuffer()
  return response.status
}

const resource = (path: string): string => `/api/resources${encodePath(path)}`

export const createByPost = (asked: Asked): Change =>
  creating(
    asked,
    () => statusOf(asked.ask(resource(asked.path), { method: 'POST', body: 'posted' })),
    `POST ${asked.path}`,
  )

export const createFolder = (asked: Asked): Change => {
  const change = creating(
    asked,
    () => statusOf(asked.ask(`${resource(asked.path)}/`, { method: 'POST' })),
    `POST ${asked.path}/`,
  )
  const place = plainPlace(asked.model, asked.path)
  // A folder that is there already is no failure.
  const isThere = place !== undefined && asked.model.kindAt(place) === 'folder'
  return isThere || isPartRoot(asked.model, asked.path) ? { ...change, expected: 'either' } : change
}

export const createByTus = (asked: Asked): Change => {
  const tus = tusOf(asked.ask)
  const path = encodePath(asked.path)
  const send = async () => {
    const begun = await statusOf(tus.create(path, 6))
    if (begun !== 201) return begun
    const first = await statusOf(tus.append(path, 0, 'abc'))
    return first === 204 ? statusOf(tus.append(path, 3, 'def')) : first
  }
  return creating(asked, send, `tus ${asked.path}`)
}

export const createByBatch = (asked: Asked): Change => {
  const body = `${JSON.stringify({ path: asked.path, length: 4 })}\nmade`
  const send = async () => {
    const response = await asked.ask('/api/uploads', { method: 'POST', body })
    const text = await response.text()
    return response.status === 200 ? (JSON.parse(text) as { status: number }).status : response.status
  }
  return creating(asked, send, `batch ${asked.path}`)
}

/** A new version of a file. */
export function save(asked: Asked): Change {
  const { model, path, ask } = asked
  const expected = (): Expected => {
    const sight = sightOf(model, path)
    if (!model.has('modify') || ['none', 'top', 'hidden', 'out', 'missing'].includes(sight.is)) return 'refused'
    if (sight.is !== 'seen' || sight.target.links > 0) return 'either'
    return sight.target.kind === 'file' && model.may('change', sight.target.literal) ? 'done' : 'refused'
  }
  const send = () => statusOf(ask(resource(path), { method: 'PUT', body: 'saved' }))
  return { title: `PUT ${path}`, expected: expected(), rights: { changed: 'change' }, send }
}

/** With `override=true`: a new file, or a new version. */
export function replace(asked: Asked): Change {
  const { model, path, ask } = asked
  const expected = (): Expected => {
    const place = plainPlace(model, path)
    if (!model.has('create')) return 'refused'
    if (isPartRoot(model, path)) return 'either'
    if (place === undefined || model.linkAt(place)) return model.locate(path) === undefined ? 'refused' : 'either'
    const [mayCreate, mayChange] = [model.may('create', place), model.may('change', place) && model.has('modify')]
    if (!mayCreate && !mayChange) return 'refused'
    const kind = model.kindAt(place)
    if (kind === 'folder') return 'refused'
    if (kind === 'file') return mayChange ? (mayCreate ? 'done' : 'either') : 'refused'
    const isFolder = model.kindAt({ mount: place.mount, path: parentOf(place.path) }) === 'folder'
    return mayCreate ? (mayChange && isFolder ? 'done' : 'either') : 'refused'
  }
  const send = () => statusOf(ask(`${resource(path)}?override=true`, { method: 'POST', body: 'replaced' }))
  return {
    title: `POST ${path}?override=true`,
    expected: expected(),
    rights: { added: 'create', changed: 'change' },
    send,
  }
}

export function remove(asked: Asked): Change {
  const { model, path, ask } = asked
  const expected = (): Expected => {
    if (!model.has('delete') || isPartRoot(model, path) || model.locate(path) === undefined) return 'refused'
    const place = plainPlace(model, path)
    if (place === undefined) return 'either'
    if (model.kindAt(place) === 'missing' && model.linkAt(place) === undefined) return 'refused'
    return either(model.throughout('delete', place))
  }
  const send = () => statusOf(ask(resource(path), { method: 'DELETE' }))
  return { title: `DELETE ${path}`, expected: expected(), rights: { removed: 'delete' }, send }
}

/** The copy of a symlink is one of what it leads to, so its rights count at both. */
function ofCopiedLink(model: Evaluator, from: Place, target: Place): Expected {
  const { real, kind, links } = model.follow(from)
  if (kind === 'out' || kind === 'missing' || !model.may('download', from)) return 'refused'
  const expected = either(model.throughout('download', real), model.throughout('create', real, target))
  return expected === 'done' && (links > 1 || isWithin(target, real)) ? 'either' : expected
}

/** A copy, a rename, or a move to another folder or mount. */
export function transfer(asked: Asked, action: 'copy' | 'rename', to: string): Change {
  const { model, path, ask } = asked
  const [from, target] = [plainPlace(model, path), plainPlace(model, to)]
  const isSibling =
    from !== undefined && target !== undefined && areSiblings(from, target) && !model.hasRightsOfItsOwn(target)
  const expected = (): Expected => {
    if (!model.has(action === 'copy' ? 'create' : 'rename')) return 'refused'
    if (model.locate(path) === undefined || model.locate(to) === undefined || isPartRoot(model, to)) return 'refused'
    if (isPartRoot(model, path)) return action === 'copy' ? 'either' : 'refused'
    if (from === undefined || target === undefined) return 'either'
    if (model.kindAt(from) === 'missing' && model.linkAt(from) === undefined) return 'refused'
    if (isWithin(target, from)) return target.path === from.path ? 'either' : 'refused'
    if (model.kindAt(target) !== 'missing' || model.linkAt(target)) return 'refused'
    if (model.kindAt({ mount: target.mount, path: parentOf(target.path) }) !== 'folder') return 'either'
    const asCopy = () => either(model.throughout('download', from), model.throughout('create', from, target))
    const asRename = () => either(model.throughout('change', from), model.throughout('change', from, target))
    const asMove = () => either(model.throughout('delete', from), model.throughout('create', from, target))
    if (action === 'copy' && model.linkAt(from) !== undefined) return ofCopiedLink(model, from, target)
    if (action === 'copy') return asCopy()
    if (!isSibling) return asMove()
    // By two names of one folder: as the one or as the other.
    return parentOf(path) === parentOf(to) || asRename() === asMove() ? asRename() : 'either'
  }
  const send = () =>
    statusOf(ask(`${resource(path)}?action=${action}&destination=${encodeURIComponent(to)}`, { method: 'PATCH' }))
  const renaming = { added: 'change', removed: 'change' } as const
  const moving = { added: 'create', removed: 'delete' } as const
  const rights = action === 'copy' ? { added: 'create' as const } : isSibling ? renaming : moving
  return { title: `${action} ${path} to ${to}`, expected: expected(), rights, send }
}

/** Sends a change, and holds its answer and what it did to the disk against the model. */
export async function checkChange(
  model: Evaluator,
  change: Change,
  snapshot: () => Map<string, string>,
): Promise<void> {
  const before = snapshot()
  const status = await change.send()
  const after = snapshot()
  const { title, expected, rights } = change
  const who = `${model.actor.name}: ${title} answered ${status}`
  demand(status < 500, who)
  const isDone = status >= 200 && status < 300
  demand(expected === 'either' || isDone === (expected === 'done'), `${who}, but it should be ${expected}`)
  const allowed = (right: Right | undefined, key: string) => {
    const [, mount, path = '/'] = /^(\d+):(\/.*)$/.exec(key) ?? []
    return right !== undefined && model.may(right, { mount: Number(mount), path })
  }
  for (const [key, content] of after) {
    if (!before.has(key)) demand(isDone && allowed(rights.added, key), `${who} and made ${key}`)
    else if (before.get(key) !== content) demand(isDone && allowed(rights.changed, key), `${who} and changed ${key}`)
  }
  for (const key of before.keys())
    if (!after.has(key)) demand(isDone && allowed(rights.removed, key), `${who} and removed ${key}`)
}

/** Makes a link, and looks at what its visitors get: what the owner may see and download, and nothing else. */
export async function checkShare({ model, ask, path }: Asked, visitor: Ask): Promise<void> {
  const response = await ask(`/api/share${encodePath(path)}`, { method: 'POST', body: '{}' })
  const text = await response.text()
  const sight = sightOf(model, path)
  const who = `${model.actor.name}: share ${path} answered ${response.status}`
  demand(response.status < 500, who)
  const hasFlags = model.has('share') && model.has('download')
  if (sight.is !== 'seen' || sight.target.links > 0)
    return demand(response.status !== 200 || sight.is === 'vague' || sight.is === 'seen', who, 'at', sight.is)
  const { literal, kind } = sight.target
  const isExpected = hasFlags && model.may('share', literal) && model.may('download', literal)
  demand((response.status === 200) === isExpected, who, 'but it should be', isExpected ? 'made' : 'refused')
  if (!isExpected) return
  const { hash, path: shown } = JSON.parse(text) as ShareLink
  demand(model.pathsTo(literal).includes(shown), who, 'with the path', shown)
  const asFolder = await visitor(`/api/public/share/${hash}`)
  demand(asFolder.status === 200, who, 'and its link', asFolder.status)
  const isOpen = (place: Place) => model.may('see', place) && model.may('download', place)
  if (kind === 'folder') {
    const { items } = (await asFolder.json()) as { items: { name: string }[] }
    const open = model.names(literal).filter((name) => {
      const place = { mount: literal.mount, path: joined(literal.path, `/${name}`) }
      return model.linkAt(place) === undefined && isOpen(place)
    })
    const isLink = (name: string) =>
      model.linkAt({ mount: literal.mount, path: joined(literal.path, `/${name}`) }) !== undefined
    const names = items.map(({ name }) => name).filter((name) => !isLink(name))
    demand(JSON.stringify(names.toSorted()) === JSON.stringify(open.toSorted()), who, 'shows', names, 'not', open)
    for (const place of model.below(literal).slice(1)) {
      const rest = encodePath(place.path.slice(literal.path === '/' ? 0 : literal.path.length))
      const status = await statusOf(visitor(`/api/public/dl/${hash}${rest}?algo=tar`))
      demand(status < 500 && (status !== 200 || isOpen(place)), who, 'and gave', place, status)
    }
    const packed = await visitor(`/api/public/dl/${hash}?algo=tar`)
    if (packed.status === 200)
      for (const name of await filesIn(Buffer.from(await packed.arrayBuffer()))) {
        const { real, links } = model.follow({ mount: literal.mount, path: joined(literal.path, `/${name}`) })
        demand(links > 1 || isOpen(real), who, 'and packed', name)
      }
  }
  await ask(`/api/share/${hash}`, { method: 'DELETE' })
}

/** A name that is not taken, in the folder of a path or in the folder itself. */
export const beside = (path: string, isInFolder: boolean, number: number): string =>
  joined(isInFolder ? path : parentOf(path), `/new${number}${nameOf(path).endsWith('.txt') ? '.txt' : ''}`)
