import type { ReadOnlyFile } from './file.ts'
import { type Meta, newestMeta } from './meta.ts'
import { branchesOf, inlinePage, isBranch, isPage, type Leaf, leavesOf, type Page, readPage } from './pages.ts'

/** A bucket: values and nested buckets, in the order of their keys. */
export interface Bucket {
  readonly name: string
  /** The values without nested buckets; read from the file every time. */
  entries(): Generator<{ key: Buffer; value: Buffer }>
  get(key: string): Buffer | undefined
  bucket(name: string): Bucket | undefined
}

/** No file needs a deeper tree: a deeper one is a cycle. */
const deepest = 32
const bucketHeader = 16

export interface RootBucket extends Bucket {
  /** The last transaction may be missing, because one of the two meta pages is damaged. */
  readonly mayBeOlder: boolean
}

/** The root bucket of a BoltDB file. */
export function rootBucket(file: ReadOnlyFile): RootBucket {
  const meta = newestMeta(file)
  const bucket = bucketOf(file, meta, 'the whole', () => readPage(file, meta, meta.root))
  return { ...bucket, mayBeOlder: meta.isSpare }
}

function bucketOf(file: ReadOnlyFile, meta: Meta, name: string, first: () => Page): Bucket {
  const leaves = () => walk(file, meta, first())
  const find = (key: string, isBucket: boolean): Leaf | undefined => {
    for (const leaf of leaves()) {
      if (leaf.key.toString('latin1') !== key) continue
      if (leaf.isBucket === isBucket) return leaf
      throw file.damage(`${JSON.stringify(key)} in ${name} is ${isBucket ? 'not ' : ''}a bucket`)
    }
    return undefined
  }
  return {
    name,
    *entries() {
      for (const { key, value, isBucket } of leaves()) if (!isBucket) yield { key, value }
    },
    get: (key) => find(key, false)?.value,
    bucket(inner) {
      const leaf = find(inner, true)
      return leaf && bucketOf(file, meta, inner, () => firstPage(file, meta, leaf, inner))
    },
  }
}

/** A small bucket is inline, in its value; a larger one has pages of its own. */
function firstPage(file: ReadOnlyFile, meta: Meta, { value }: Leaf, name: string): Page {
  const root = rootOf(value)
  if (root !== 0) return readPage(file, meta, root)
  const page = inlinePage(value.subarray(bucketHeader), `the bucket ${JSON.stringify(name)}`)
  if (isBranch(file, page)) throw file.damage(`${page.name} is of an unknown kind`)
  return page
}

const rootOf = (value: Buffer): number => Number(value.readBigUInt64LE(0))

const isBucketValue = ({ pageCount }: Meta, value: Buffer): boolean =>
  value.length >= bucketHeader && (rootOf(value) === 0 || isPage(pageCount, rootOf(value)))

function* walk(file: ReadOnlyFile, meta: Meta, first: Page): Generator<Leaf> {
  const seen = new Set<number>()
  let last: Buffer | undefined

  /** The keys of a page are at least that of its branch element, and less than the next one. */
  function* below(page: Page, depth: number, from?: Buffer, to?: Buffer): Generator<Leaf> {
    if (depth > deepest) throw file.damage(`${page.name} lies deeper than any tree is`)
    if (!isBranch(file, page)) {
      for (const leaf of leavesOf(file, page)) {
        // Keys are sorted and unique; others are damage.
        if (last !== undefined && Buffer.compare(last, leaf.key) >= 0)
          throw file.damage(`the keys of ${page.name} are out of order`)
        if ((from && Buffer.compare(leaf.key, from) < 0) || (to && Buffer.compare(leaf.key, to) >= 0))
          throw file.damage(`the keys of ${page.name} are those of another one`)
        if (leaf.isBucket && !isBucketValue(meta, leaf.value))
          throw file.damage(`a bucket in ${page.name} has no beginning`)
        last = leaf.key
        yield leaf
      }
      return
    }
    const branches = [...branchesOf(file, page)]
    for (const [index, { page: id, key }] of branches.entries()) {
      if (seen.has(id)) throw file.damage(`page ${id} is reached a second time, from ${page.name}`)
      seen.add(id)
      yield* below(readPage(file, meta, id), depth + 1, key, branches[index + 1]?.key ?? to)
    }
  }

  yield* below(first, 0)
}
