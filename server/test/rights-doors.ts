import { Readable } from 'node:stream'
import { encodePath, type FolderResource, isInside, type Resource, type Right, rightNames } from '@filestead/contract'
import { extract } from 'tar-stream'
import { type Evaluator, joined, type Place, type Target } from './rights-evaluator.ts'
import type { Ask } from './server.ts'

/** What a path of a tree is to its actor. 'vague' is what the description leaves open; nothing may break there. */
export type Sight =
  | { readonly is: 'top' | 'none' | 'hidden' }
  | { readonly is: 'out' | 'missing' | 'vague' | 'seen'; readonly target: Target }

export function sightOf(model: Evaluator, path: string): Sight {
  const literal = model.locate(path)
  if (literal === undefined) return { is: 'none' }
  if (literal === 'top') return { is: 'top' }
  const target = model.follow(literal)
  if (!model.isVisible(literal)) return { is: 'hidden' }
  if (target.links > 1) return { is: 'vague', target }
  if (target.kind === 'out' || !model.isVisible(target.real)) return { is: 'out', target }
  if (target.links === 1 && !model.grantsAllow('see', target.real)) return { is: 'vague', target }
  return { is: target.kind === 'missing' ? 'missing' : 'seen', target }
}

/** The statuses that look at a path may answer. */
const looks = {
  none: [404],
  top: [200],
  hidden: [403],
  out: [403, 404],
  missing: [404],
  seen: [200],
  vague: [200, 403, 404],
} as const satisfies Record<Sight['is'], readonly number[]>

export interface Asked {
  readonly model: Evaluator
  readonly ask: Ask
  readonly path: string
}

export function demand(isTrue: boolean, ...words: unknown[]): asserts isTrue {
  if (!isTrue) throw new Error(words.map((word) => (typeof word === 'string' ? word : JSON.stringify(word))).join(' '))
}

async function answered({ model, ask }: Asked, address: string, statuses: readonly number[]): Promise<Response> {
  const response = await ask(address)
  if (!statuses.includes(response.status)) {
    const body = (await response.text()).slice(0, 300)
    throw new Error(
      `${model.actor.name} GET ${address} answered ${response.status}, not ${statuses.join('/')}: ${body}`,
    )
  }
  return response
}

const mayBoth = (model: Evaluator, right: Right, { literal, real }: Target): boolean =>
  model.may(right, literal) && model.may(right, real)

const sameRights = (one: readonly Right[], other: readonly Right[]): boolean =>
  rightNames.every((right) => one.includes(right) === other.includes(right))

/** A listing, or the facts of a file with its text. */
export async function checkResource(asked: Asked): Promise<void> {
  const { model, path } = asked
  const sight = sightOf(model, path)
  const response = await answered(asked, `/api/resources${encodePath(path)}`, looks[sight.is])
  const text = await response.text()
  if (response.status !== 200) return
  const found = JSON.parse(text) as FolderResource | Resource
  const tell = (what: string, ...more: unknown[]) => [`${model.actor.name} sees ${path}: ${what}`, ...more]
  if (sight.is === 'top') return checkTop(model, found as FolderResource)
  if (sight.is !== 'seen') return
  const { target } = sight
  if (target.links === 0) {
    const expected = model.rightsAt(target.literal)
    demand(sameRights(found.can ?? rightNames, expected), ...tell('can', found.can ?? 'all', 'not', expected))
  }
  if (target.kind === 'file') {
    const isReadable = mayBoth(model, 'download', target) && model.has('download')
    demand(!('content' in found) || isReadable, ...tell('content without the right to download'))
    return demand(!isReadable || !path.endsWith('.txt') || 'content' in found, ...tell('no content'))
  }
  const { items } = found as FolderResource
  const names = items.map(({ name }) => name).sort()
  const { must, may } = model.listed(target)
  demand(
    must.every((name) => names.includes(name)) && names.every((name) => must.includes(name) || may.includes(name)),
    ...tell('names', names, 'not', must, 'and perhaps', may),
  )
  if (target.links > 0) return
  for (const item of items) {
    const place = { mount: target.literal.mount, path: joined(target.literal.path, `/${item.name}`) }
    if (model.linkAt(place) !== undefined) continue
    const [can, expected] = [item.can ?? found.can ?? rightNames, model.rightsAt(place)]
    demand(sameRights(can, expected), ...tell(`${item.name} can`, can, 'not', expected))
    demand(item.can === undefined || !sameRights(item.can, found.can ?? rightNames), ...tell('a superfluous can'))
  }
}

function checkTop(model: Evaluator, { items, can: ofTop }: FolderResource): void {
  const names = items.map(({ name }) => name)
  // A rule may hide a part as it hides the root of a scope.
  const expected = model.parts.filter(({ base }) => model.isVisible(base)).map(({ name }) => name)
  demand(
    JSON.stringify(names.toSorted()) === JSON.stringify(expected.toSorted()),
    `${model.actor.name} sees the top:`,
    names,
    'not',
    expected,
  )
  for (const item of items) {
    const part = model.parts.find(({ name }) => name === item.name)
    const can = (part ? model.rightsAt(part.base) : []).filter((right) => right !== 'change' && right !== 'delete')
    const shown = item.can ?? ofTop ?? rightNames
    demand(sameRights(shown, can), `${model.actor.name}: the part ${item.name} can`, shown, 'not', can)
  }
}

/** The names of folders for a tree, and the facts of entries by their names. */
export async function checkNames(asked: Asked): Promise<void> {
  const { model, ask, path } = asked
  const sight = sightOf(model, path)
  if (sight.is === 'top' || sight.is === 'vague') return
  if ('target' in sight && (sight.target.links > 0 || sight.target.kind === 'file')) return
  const response = await answered(asked, `/api/folders${encodePath(path)}`, looks[sight.is])
  const text = await response.text()
  const all = sight.is === 'seen' ? model.names(sight.target.real) : ['f.txt', 'a']
  const told = await ask(`/api/entries${encodePath(path)}`, { method: 'POST', body: JSON.stringify({ names: all }) })
  const entries = await told.text()
  demand([200, 403, 404].includes(told.status), `${model.actor.name}: entries of ${path} answered ${told.status}`)
  if (sight.is !== 'seen') return demand(told.status !== 200 || entries === '[]', path, 'tells', entries)
  const { literal } = sight.target
  const isLink = (name: string) => model.linkAt({ ...literal, path: joined(literal.path, `/${name}`) }) !== undefined
  const listed = model.listed(sight.target).must.filter((name) => !isLink(name))
  const found = (JSON.parse(entries) as Resource[]).filter(({ name }) => !isLink(name))
  const same = (one: readonly string[], other: readonly string[]) =>
    JSON.stringify(one.toSorted()) === JSON.stringify(other.toSorted())
  const names = found.map(({ name }) => name)
  demand(same(names, listed), `${model.actor.name}: entries of ${path}`, names, 'not', listed)
  for (const { name, can } of found) {
    const expected = model.rightsAt({ ...literal, path: joined(literal.path, `/${name}`) })
    demand(sameRights(can ?? rightNames, expected), `${path}/${name} can`, can ?? 'all', 'not', expected)
  }
  const folders = (JSON.parse(text) as { names: string[] }).names.filter((name) => !isLink(name))
  const expected = listed.filter(
    (name) => model.kindAt({ ...literal, path: joined(literal.path, `/${name}`) }) === 'folder',
  )
  demand(same(folders, expected), `${model.actor.name}: folders of ${path}`, folders, 'not', expected)
}

/** Search and the flat list go down the tree; symlinks are named and not followed, and left out of the comparison. */
export async function checkWalk(asked: Asked, door: 'search' | 'recursive'): Promise<void> {
  const { model, path } = asked
  const sight = sightOf(model, path)
  if ('target' in sight && (sight.target.links > 0 || sight.target.kind === 'file')) return
  const address = encodePath(path)
  const isSearch = door === 'search'
  // A search below what is not there finds nothing.
  const statuses = isSearch && ['none', 'missing', 'out'].includes(sight.is) ? [200, 403, 404] : looks[sight.is]
  const response = await answered(
    asked,
    isSearch ? `/api/search${address}?query=f.txt` : `/api/resources${address}?recursive=true`,
    statuses,
  )
  const text = await response.text()
  if (response.status !== 200) return
  const found = isSearch
    ? text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => `/${(JSON.parse(line) as { path: string }).path.replace(/^\//, '')}`)
    : (JSON.parse(text) as { path: string }[]).map((entry) => entry.path)
  if (sight.is !== 'seen' && sight.is !== 'top') return demand(found.length === 0, path, 'has', found)
  const starts = sight.is === 'top' ? model.parts.map(({ name }) => `/${name}`) : [path]
  const [must, may]: [string[], string[]] = [[], []]
  for (const start of starts) {
    const base = model.locate(start) as Place
    if (sight.is === 'top' && !isSearch) may.push(start)
    for (const place of model.below(base, (inside) => model.isVisible(inside)).slice(1)) {
      const shown = joined(start, base.path === '/' ? place.path : place.path.slice(base.path.length))
      const relative = isSearch && path !== '/' ? shown.slice(path.length) : shown
      if (isSearch && !place.path.endsWith('/f.txt')) continue
      // From the top, what is in the home is found there alone.
      if (isSearch && sight.is === 'top' && model.pathsTo(place)[0] !== shown) continue
      if (model.grantsAllow('see', place)) must.push(relative)
      else may.push(relative)
    }
  }
  const isLink = (entry: string) => {
    const place = model.locate(isSearch && path !== '/' ? joined(path, entry) : entry)
    return place !== undefined && place !== 'top' && model.linkAt(place) !== undefined
  }
  const shown = found.filter((entry) => !isLink(entry)).sort()
  demand(
    must.every((entry) => shown.includes(entry)) && shown.every((entry) => must.includes(entry) || may.includes(entry)),
    `${model.actor.name} ${door} ${path}:`,
    shown,
    'not',
    must.sort(),
    'and perhaps',
    may,
  )
}

export const readings = ['raw', 'checksum', 'preview', 'subtitle'] as const
const addressOf: Record<(typeof readings)[number], (path: string) => string> = {
  raw: (path) => `/api/raw${path}?algo=tar`,
  checksum: (path) => `/api/resources${path}?checksum=md5`,
  preview: (path) => `/api/preview/thumb${path}`,
  subtitle: (path) => `/api/subtitle${path}`,
}
const ending = { raw: '', checksum: '', preview: '.png', subtitle: '.srt' } as const

/** Whatever gives bytes of a file away, or what is made of them. */
export async function checkReading(asked: Asked, door: (typeof readings)[number]): Promise<void> {
  const { model, ask, path } = asked
  const sight = sightOf(model, path)
  const address = addressOf[door](encodePath(path))
  if (sight.is === 'top') return demand((await ask(address)).status < 500, address, 'broke at the top')
  if (!model.has('download')) {
    const statuses = door === 'checksum' ? [...looks[sight.is].filter((status) => status !== 200), 202, 403] : [202]
    if (door === 'checksum' && sight.is === 'seen' && sight.target.kind === 'folder') return
    if (door === 'checksum' && sight.is === 'vague') {
      // A folder has no checksum: it is listed.
      const body = await (await answered(asked, address, [...statuses, 200])).text()
      return demand(!body.includes('"checksums"'), address, 'gave a checksum away')
    }
    return void (await (await answered(asked, address, statuses)).arrayBuffer())
  }
  if (sight.is !== 'seen') {
    const statuses: readonly number[] = sight.is === 'missing' ? [404, 403] : looks[sight.is]
    // What cannot be shown otherwise has no preview.
    const others = sight.is === 'vague' || sight.is === 'missing' ? [400, 501] : []
    return void (await (await answered(asked, address, [...statuses, ...others])).arrayBuffer())
  }
  const { target } = sight
  const isReadable = mayBoth(model, 'download', target)
  if (target.kind === 'folder') {
    if (door === 'raw') await checkArchive(asked, target, address, isReadable)
    return
  }
  const isFitting = path.endsWith(ending[door])
  const statuses = isReadable ? (isFitting ? [200] : [400, 415, 501]) : isFitting ? [403] : [400, 403, 415, 501]
  await (await answered(asked, address, statuses)).arrayBuffer()
}

/** An archive says what it could not pack. */
const noteOfLeftOut = '/LEFT OUT.txt'

/** An archive has all files below that may be downloaded, and no other. */
async function checkArchive(asked: Asked, target: Target, address: string, isReadable: boolean): Promise<void> {
  const { model, path } = asked
  const response = await answered(asked, address, isReadable ? [200] : [200, 403])
  const bytes = Buffer.from(await response.arrayBuffer())
  if (response.status !== 200 || target.links > 0) return
  const base = target.literal
  const must = model
    .below(base, (inside) => model.isVisible(inside))
    .filter((place) => model.kindAt(place) === 'file' && model.may('download', place))
    .map((place) => (base.path === '/' ? place.path : place.path.slice(base.path.length)))
    .sort()
  const found = (await filesIn(bytes)).map((name) => `/${name}`)
  const throughLink = (name: string) => model.follow({ mount: base.mount, path: joined(base.path, name) }).links > 0
  const shown = found.filter((name) => !throughLink(name) && name !== noteOfLeftOut).sort()
  demand(JSON.stringify(shown) === JSON.stringify(must), `${model.actor.name} archive ${path}:`, shown, 'not', must)
  // Symlinks are packed as what they lead to.
  for (const name of found.filter(throughLink)) {
    const { links, real, kind } = model.follow({ mount: base.mount, path: joined(base.path, name) })
    demand(kind === 'file' && (links > 1 || model.may('download', real)), `${path} packs ${name}, which leads to`, real)
  }
}

export async function filesIn(tar: Buffer): Promise<string[]> {
  const names: string[] = []
  const reader = extract()
  reader.on('entry', (header, stream, next) => {
    if (header.type === 'file') names.push(header.name)
    stream.on('end', next).resume()
  })
  await new Promise<void>((done, fail) => {
    reader.on('finish', () => done())
    reader.on('error', fail)
    Readable.from([tar]).pipe(reader)
  })
  return names
}

/** Everything that the actor could ask for: what is there, by each name, behind symlinks, and what is not. */
export function pathsOf(model: Evaluator): string[] {
  const places = model.mounts.flatMap(({ id }) => {
    const all = model.below({ mount: id, path: '/' })
    return all.flatMap((place): Place[] => {
      if (model.kindAt(place) !== 'folder') return [place]
      const links = model.names(place).map((name) => ({ mount: id, path: joined(place.path, `/${name}`) }))
      const followed = links.filter((inside) => model.linkAt(inside) !== undefined)
      const behind = followed.map(({ mount, path }) => ({ mount, path: `${path}/f.txt` }))
      return [place, { mount: id, path: joined(place.path, '/missing') }, ...followed, ...behind]
    })
  })
  const byName = model.mounts.flatMap(({ id, name }) =>
    places.filter(({ mount }) => mount === id).map(({ path }) => joined(`/${name}`, path)),
  )
  return [...new Set(['/', '/Home', '/Nothing', ...places.flatMap((place) => model.pathsTo(place)), ...byName])]
}

/** Does a place lie in a folder, or is it the folder? */
export const isWithin = (place: Place, folder: Place): boolean =>
  place.mount === folder.mount && isInside(place.path, folder.path)
